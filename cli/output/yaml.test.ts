import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { installPythonPackage } from "../../testing/processes/python-package.ts";
import { parseYamlDocuments } from "../input/yaml-documents.ts";
import { formatYaml, formatYamlStream } from "./yaml.ts";

/** Strings that a YAML reader parses as another type unless they are quoted. */
const treacherous = [
  "on off yes no y n Y N On OFF Yes NO true False null Null NULL ~",
  "1e3 1.5e+3 1E3 .5 5. +1 -0 0x1F 0o17 017 0b101 1_000 1_000.5 .inf -.INF .nan NaN",
  "1:30 12:30:45 190:20:30.15 2001-01-01 2001-12-14t21:59:43.10-05:00",
  "= << - ? : # & * ! | > % @ ` [ ] { } , -- --- ... --model -x -1 ?x :x x: #x !x &x *x",
]
  .join(" ")
  .split(" ")
  .concat([
    "",
    " ",
    " leading",
    "trailing ",
    "a: b",
    "a #b",
    "tab\there",
    "line\nbreak",
    "ends in a break\n",
    "\nstarts with a break",
    "  indented\nfirst line",
    "windows\r\nbreak",
    "quotes ' and \"",
    "back\\slash",
    "{{ template }}",
    "%TAG",
    "ümläut ✓ 🚀",
    "\u0085\u2028\ufeff",
    '{"kv_connector":"PyNcclConnector","kv_role":"kv_producer"}',
    "x".repeat(300),
    `${"long words that a writer may fold ".repeat(10)}`,
  ]);

const samples = [
  ...treacherous.map((text) => ({ as: "value", value: { key: text } })),
  ...treacherous.map((text) => ({ as: "item", value: [text, [text]] })),
  ...treacherous.map((text) => ({ as: "key", value: { [text]: text } })),
  { as: "numbers", value: [0, 1, -7, 1.5, 8000, 2 ** 31] },
  { as: "others", value: { yes: true, no: false, nothing: null, none: [], empty: {} } },
];

/** PyYAML, because most readers of YAML 1.1 are like it. */
const pyYaml = await installPythonPackage({
  title: "PyYAML",
  name: "pyyaml",
  version: "6.0.3",
  size: "1 MB",
  provides: "yaml/__init__.py",
  otherwise: "Install Python 3 with pip (Debian: apt-get install python3-pip).",
});

describe("written YAML has the same value for", () => {
  const texts = samples.map(({ value }) => formatYaml(value));

  it("readers of YAML 1.2", () => {
    expect(texts.map((text) => parse(text))).toEqual(samples.map(({ value }) => value));
  });

  it("readers of YAML 1.1", () => {
    expect(texts.map((text) => parse(text, { version: "1.1" }))).toEqual(
      samples.map(({ value }) => value),
    );
  });

  it("this package's reader", () => {
    expect(texts.map((text) => parseYamlDocuments("sample", text)[0])).toEqual(
      samples.map(({ value }) => value),
    );
  });

  it("PyYAML", () => {
    expect(readByPyYaml(texts)).toEqual(samples.map(({ value }) => value));
  });

  it("PyYAML, with any text", () => {
    const text = fc.oneof(
      fc.stringMatching(/^[-+0-9a-fox_:.eETZ=~<#&*!|>%@ ]{1,12}$/),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom(" ", "\n", "\t", ":", "-", "#", "'", '"', "a", "0") }),
    );
    const values = fc.sample(fc.dictionary(text, fc.array(text)), { numRuns: 300, seed: 7 });
    const plain = values.map((value) => ({ ...value }));
    expect(readByPyYaml(plain.map(formatYaml))).toEqual(plain);
  });
});

it("documents of a stream are separated, even if a string looks like the separator", () => {
  const values = [{ text: "---\na: 1\n---\n" }, { text: "...\n" }, { b: 2 }];
  const documents = [...parseAllDocuments(formatYamlStream(values))];
  expect(documents.map((document) => document.toJS())).toEqual(values);
});

it("repeated values are written in full, without anchors", () => {
  const shared = { app: "x" };
  expect(formatYaml({ a: shared, b: shared })).toBe("a:\n  app: x\nb:\n  app: x\n");
});

function readByPyYaml(texts: readonly string[]): unknown[] {
  const program =
    "import json,sys,yaml; print(json.dumps([yaml.safe_load(t) for t in json.load(sys.stdin)]))";
  const { status, stdout, stderr } = spawnSync("python3", ["-c", program], {
    env: { ...process.env, PYTHONPATH: dirname(dirname(pyYaml)) },
    input: JSON.stringify(texts),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
