import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { version } from "../sdk/version.ts";
import { folderOf, run, sampleManifest } from "./sample.fixture.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

const commands = [
  "fit",
  "init",
  "render",
  "check",
  "capacity",
  "graph",
  "impact",
  "crds",
  "doctor",
  "explain",
  "request",
  "status",
  "clusters",
  "completion",
];

describe("--help", () => {
  it("the program's help lists the commands", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    for (const command of [...commands, "help"]) expect(out).toContain(command);
  });

  it.each(commands)("help of %s has examples and fits 80 columns", async (command) => {
    const { code, out } = await run([command, "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`Examples:\n.*pulumi-inference ${command}`, "s"));
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("equals the output of the command help", async () => {
    expect(await run(["help", "render"])).toEqual(await run(["render", "--help"]));
    expect((await run(["help"])).out).toBe((await run(["--help"])).out);
    expect((await run(["help", "rendr"])).code).toBe(2);
  });
});

describe("commands that read a cluster", () => {
  const commandLines: string[][] = [
    ["doctor"],
    ["status", "svc"],
    ["explain", "model", "--pool", "p"],
    ["request", "svc", "Hello"],
    ["clusters"],
  ];
  const reading = commandLines.map((args) => [args] as const);
  const kubeconfig = (server: string) =>
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server } }],
      contexts: [{ name: "here", context: { cluster: "c" } }],
      "current-context": "here",
    });

  it.each(reading)("%j accepts -n, --context, --kubeconfig and --format", async (args) => {
    using folder = folderOf({ config: kubeconfig("https://127.0.0.1:9") });
    const config = join(folder.path, "config");
    for (const format of ["table", "json", "yaml"]) {
      const options = ["-n", "ns", "--context", "here", "--kubeconfig", config, "--format", format];
      const { code, err } = await run([...args, ...options]);
      expect({ code, err }).toEqual({
        code: 2,
        err: "the API server https://127.0.0.1:9 cannot be reached: connect ECONNREFUSED 127.0.0.1:9; name another cluster with --context or --kubeconfig\n",
      });
    }
  });

  it.each(reading)("%j refuses an unknown context in one line", async (args) => {
    using folder = folderOf({ config: kubeconfig("https://127.0.0.1:9") });
    const config = join(folder.path, "config");
    expect(await run([...args, "--kubeconfig", config, "--context", "there"])).toEqual({
      code: 2,
      out: "",
      err: `kubeconfig ${config} has no context "there"; it has here\n`,
    });
  });

  it.each([
    [
      "an empty file",
      "",
      /^kubeconfig \S+: is empty; name another with --kubeconfig or KUBECONFIG\n$/,
    ],
    ["no YAML", "a: [", /^kubeconfig \S+: /],
    ["a plain string", "hello", /^kubeconfig [^\n]+\n$/],
    [
      "a server that is not a URL",
      kubeconfig("nowhere"),
      /"nowhere" cannot be reached: it is not a URL/,
    ],
  ])("report the problem of a kubeconfig that is %s", async (_what, content, message) => {
    using folder = folderOf({ config: content });
    const config = join(folder.path, "config");
    for (const args of commandLines) {
      const { code, err } = await run([...args, "--kubeconfig", config]);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    }
  });
});

it("--version prints the package's version", async () => {
  expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

it("crds prints the package's CustomResourceDefinitions", async () => {
  const { code, out } = await run(["crds"]);
  expect(code).toBe(0);
  const folder = fileURLToPath(new URL("../crds", import.meta.url));
  const shipped = readdirSync(folder).map((name) =>
    parse(readFileSync(join(folder, name), "utf8")),
  );
  const byName = (a: { metadata: { name: string } }, b: typeof a) =>
    a.metadata.name < b.metadata.name ? -1 : 1;
  const printed = parseAllDocuments(out).map((document) => document.toJS());
  expect(printed.sort(byName)).toEqual(shipped.sort(byName));
  const { items } = JSON.parse((await run(["crds", "--format", "json"])).out);
  expect(items.sort(byName)).toEqual(shipped);
});

describe("misuse ends with 2 and a message:", () => {
  it.each([
    [[], "Usage: pulumi-inference"],
    [["rendr"], "Did you mean render?"],
    [["render"], "no input; name files, folders, or - for standard input"],
    [["render", "-f"], "argument missing"],
    [["render", "-f", "x", "--formt", "json"], "Did you mean --format?"],
    [["render", "-f", "x", "--format", "toml"], "Allowed choices are yaml, json."],
    [["render", "-f", "/nowhere/a.yaml"], "/nowhere/a.yaml: no such file"],
    [["render", "-f", "-", "-"], "-: given twice"],
    [["render", "-", "-f", "-"], "-: given twice"],
    [
      ["capacity", "-f", "-"],
      "give --gpus, --nodes or --context\n(add --help for the options and examples)",
    ],

    [["request", "qwen", " "], "the prompt is empty"],
    [["capacity", "-f", "-", "--gpus", "8,"], '"" is not a whole number'],
    [["capacity", "-f", "-", "--gpus", "0"], '"0" is not a whole number'],
    [["capacity", "-f", "-", "--gpus", "8", "--nodes", "8"], "cannot be used with"],
    [["doctor", "extra"], "too many arguments"],
    [["doctor", "--kubeconfig", "/nowhere/config"], "/nowhere/config"],
    [["explain", "m"], "--pool <name>"],
  ])("%j", async (args, message) => {
    const { code, out, err } = await run(args, sampleManifest("a"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("invalid YAML, with line and column", async () => {
    const { code, err } = await run(["render", "-f", "-"], "a: 1\nb: [1,\nc: }\n");
    expect(code).toBe(2);
    expect(err).toMatch(/^standard input:3:\d+: /);
  });

  it("duplicate keys", async () => {
    const { code, err } = await run(["render", "-f", "-"], "a: 1\na: 2\n");
    expect(code).toBe(2);
    expect(err).toContain("standard input:2:1: Map keys must be unique");
  });

  it("a map as a key, as in a template's placeholder", async () => {
    const { code, err } = await run(["render", "-f", "-"], "a: 1\nb: {{ TOKEN }}\n");
    expect(code).toBe(2);
    expect(err).toContain("standard input:2:5: A key is a map or a list");
  });
});

describe("the process", () => {
  const node = (args: readonly string[], options: { input?: string; env?: object } = {}) =>
    spawnSync(process.execPath, [main, ...args], {
      encoding: "utf8",
      input: options.input ?? "",
      maxBuffer: 1 << 26,
      env: { ...process.env, ...options.env },
    });

  it("ends with the code of the command", () => {
    expect(
      node(["capacity", "-f", "-", "--gpus", "80"], { input: sampleManifest("a") }).status,
    ).toBe(0);
    expect(node(["render", "-f", "-"], { input: "kind: Pod\n" }).status).toBe(1);
    expect(node(["render", "--unknown"]).status).toBe(2);
  });

  it("writes no colours without a terminal", () => {
    const { stdout } = node(["capacity", "-f", "-", "--gpus", "80"], {
      input: sampleManifest("a"),
    });
    expect(stdout).not.toContain("\u001b");
  });

  it("reads files and writes large output to a pipe in pieces", () => {
    using folder = folderOf({
      "a.yaml": sampleManifest("a").replace("replicas: 2", "replicas: 900"),
    });
    const { status, stdout } = node(["render", "-f", `${folder.path}/a.yaml`, "--format", "json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(905);
  });
});
