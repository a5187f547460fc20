import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { folderOf, run } from "../sample.fixture.ts";
import { longestInput } from "../too-much.ts";

/** C1 of issue 44: endless YAML is invalid input, not a violation. */

const object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n";
const inputs: ReadonlyArray<[what: string, text: string]> = [
  ["a value inside itself", `${object}  annotations: &a { name: *a }\n`],
  ["an object inside itself", "&a\napiVersion: v1\nkind: ConfigMap\nmetadata: *a\n"],
  ["a list inside itself", `${object}  finalizers: &a [*a]\n`],
  ["a merge of itself", `${object}  annotations: &a\n    <<: *a\n`],
  [
    "an item of a list inside itself",
    "apiVersion: v1\nkind: List\nitems: &a [{ kind: List, items: *a }]\n",
  ],
  [
    "aliases that unfold without end",
    `a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(",")}]\n`).join("")}`,
  ],
  [
    "aliases that unfold to millions",
    `l: &l [${"1,".repeat(30_000)}1]\na: [${Array(99).fill("*l").join(",")}]\n`,
  ],
  ["lists inside lists", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
  ["lists inside lists of moderate depth", `${"[".repeat(600)}${"]".repeat(600)}`],
  ["too many bytes", `a: ${"b".repeat(longestInput)}\n`],
];

it.each(inputs)(
  "%s ends with one message and the exit code for unreadable input",
  async (_what, text) => {
    for (const command of [["check"], ["render"], ["capacity", "--gpus", "8"]]) {
      const { code, err, out } = await run([...command, "-f", "-"], text);
      expect(err).toMatch(/^standard input: not read: it .*; allowed: at most 16 MiB .*\n$/);
      expect({ code, out }).toEqual({ code: 2, out: "" });
    }
  },
);

it("a file is not read beyond the limit", async () => {
  using folder = folderOf({});
  const file = join(folder.path, "large.yaml");
  const stream = createWriteStream(file);
  for (let at = 0; at < 20; at += 1) stream.write(`# ${" ".repeat(2 ** 20)}\n`);
  await finished(stream.end());
  const { code, err } = await run(["check", "-f", file]);
  expect(err).toContain(`${file}: not read: it has more than ${longestInput} bytes`);
  expect(code).toBe(2);
});

it("maps with keys that take minutes to parse end at the time limit", {
  timeout: 60_000,
}, async () => {
  const text = Array.from({ length: 300_000 }, (_, at) => `k${at}: 1\n`).join("");
  const { code, err } = await run(["check", "-f", "-"], text);
  expect(err).toContain("standard input: not read: it takes more than 10 s");
  expect(code).toBe(2);
});

it("bidirectional control characters are escaped", async () => {
  const bidi = "\u202e\u2066\u200f\u061c\ufeff\u{e0041}\u2028";
  const { err } = await run(
    ["check", "-f", "-"],
    `apiVersion: v1\nkind: ["${bidi}"]\n"x${bidi}": 1\n`,
  );
  const other = await run(["check", "-f", `no${bidi}file.yaml`]);
  for (const text of [err, other.err])
    expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(other.err).toContain(
    "no\\u202e\\u2066\\u200f\\u061c\\ufeff\\udb40\\udc41\\u2028file.yaml",
  );
});
