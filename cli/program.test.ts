import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { version } from "../sdk/version.ts";
import { folderOf, run, sampleManifest } from "./sample.fixture.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

describe("--help", () => {
  it("of the program names the commands", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    for (const command of ["render", "capacity", "doctor", "status", "clusters"])
      expect(out).toContain(command);
  });

  it.each(["render", "capacity", "doctor", "status", "clusters"])(
    "of %s has examples",
    async (command) => {
      const { code, out } = await run([command, "--help"]);
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`Examples:\n.*pulumi-inference ${command}`, "s"));
    },
  );
});

it("--version is that of the package", async () => {
  expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

describe("misuse ends with 2 and says what is wrong:", () => {
  it.each([
    [[], "Usage: pulumi-inference"],
    [["rendr"], "Did you mean render?"],
    [["render"], "'-f, --file <file...>' not specified"],
    [["render", "-f"], "argument missing"],
    [["render", "-f", "x", "--formt", "json"], "Did you mean --format?"],
    [["render", "-f", "x", "--format", "toml"], "Allowed choices are yaml, json."],
    [["render", "-f", "/nowhere/a.yaml"], "/nowhere/a.yaml: no such file"],
    [["render", "-f", "/"], "/: is a directory"],
    [["render", "-f", "-", "-"], "-f -: given twice"],
    [["capacity", "-f", "-"], "capacity needs --gpus or --nodes"],
    [["capacity", "-f", "-", "--gpus", "8,"], '"" is not a whole number'],
    [["capacity", "-f", "-", "--gpus", "0"], '"0" is not a whole number'],
    [["capacity", "-f", "-", "--gpus", "8", "--nodes", "8"], "cannot be used with"],
    [["doctor", "extra"], "too many arguments"],
    [["doctor", "--kubeconfig", "/nowhere/config"], "/nowhere/config"],
  ])("%j", async (args, message) => {
    const { code, out, err } = await run(args, sampleManifest("a"));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("YAML that does not parse, with line and column", async () => {
    const { code, err } = await run(["render", "-f", "-"], "a: 1\nb: [1,\nc: }\n");
    expect(code).toBe(2);
    expect(err).toMatch(/^standard input:3:\d+: /);
  });

  it("keys given twice", async () => {
    const { code, err } = await run(["render", "-f", "-"], "a: 1\na: 2\n");
    expect(code).toBe(2);
    expect(err).toContain("standard input:2:1: Map keys must be unique");
  });
});

describe("as a process", () => {
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

  it("writes no colours where nobody looks", () => {
    const { stdout } = node(["capacity", "-f", "-", "--gpus", "80"], {
      input: sampleManifest("a"),
      env: { FORCE_COLOR: "1" },
    });
    expect(stdout).not.toContain("\u001b");
  });

  it("reads files and writes what a pipe can take in pieces", () => {
    using folder = folderOf({
      "a.yaml": sampleManifest("a").replace("replicas: 2", "replicas: 900"),
    });
    const { status, stdout } = node(["render", "-f", `${folder.path}/a.yaml`, "--format", "json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(902);
  });
});
