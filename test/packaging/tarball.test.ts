import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadProject, memoryState, openStack } from "../../engine/index.ts";
import { readDocuments, repositoryRoot } from "../harness/repository.ts";
import { nodeBinary } from "./node-versions.ts";

const run = promisify(execFile);
const subpaths = [
  "pulumi-inference",
  "pulumi-inference/sdk",
  "pulumi-inference/kubernetes",
  "pulumi-inference/engine",
];

/** A project that has the packed package installed, and its dependencies as this checkout has them. */
let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "tarball-"));
  await run("npm", ["run", "--silent", "build"], { cwd: repositoryRoot });
  await run("npm", ["pack", "--pack-destination", project], { cwd: repositoryRoot });
  const tarball = readdirSync(project).find((file) => file.endsWith(".tgz")) ?? "";
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "pulumi-inference"), { recursive: true });
  await run("tar", [
    "-xzf",
    join(project, tarball),
    "--strip-components=1",
    "-C",
    join(modules, "pulumi-inference"),
  ]);
  for (const dependency of readdirSync(join(repositoryRoot, "node_modules"))) {
    if (dependency.startsWith(".")) continue;
    symlinkSync(join(repositoryRoot, "node_modules", dependency), join(modules, dependency));
  }
}, 300_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

const execute = async (node: string, file: string, text: string) => {
  writeFileSync(join(project, file), text);
  return (await run(node, [file], { cwd: project })).stdout.trim();
};

describe.each(["22.12.0", "24.21.0"])("on Node %s", (version) => {
  let node: string;
  beforeAll(async () => {
    node = version === "24.21.0" ? process.execPath : await nodeBinary(version);
  }, 120_000);

  it.each(subpaths)("%s is imported and required, one copy of each class", async (name) => {
    const text = `
      import { createRequire } from "node:module";
      const imported = await import(${JSON.stringify(name)});
      const required = createRequire(import.meta.url)(${JSON.stringify(name)});
      const names = Object.keys(imported).filter((key) => key !== "module.exports" && key !== "default");
      console.log(names.length > 0 && names.every((key) => imported[key] === required[key]));
    `;
    expect(await execute(node, "load.mjs", text)).toBe("true");
  });

  it("plans a service from a CommonJS program", async () => {
    const text = `
      const { planInferenceService } = require("pulumi-inference/sdk");
      const template = { spec: { containers: [{ name: "vllm" }] } };
      const spec = { roles: [{ name: "inference", componentType: "worker", template }] };
      console.log(planInferenceService({ metadata: { name: "svc" }, spec })[0].metadata.name);
    `;
    expect(await execute(node, "plan.cjs", text)).toBe("svc-inference");
  });

  it("has a command that runs", async () => {
    const { stdout } = await run(
      node,
      [join("node_modules", "pulumi-inference", "dist", "cli", "main.js"), "--version"],
      { cwd: project },
    );
    const { version: ours } = JSON.parse(
      readFileSync(join(repositoryRoot, "package.json"), "utf8"),
    );
    expect(stdout.trim()).toBe(ours);
  });
});

describe("examples, now that the library is built", () => {
  it.each(["monolithic", "disaggregated", "multi-node", "disaggregated-multi-node"])(
    "%s runs as it did before",
    async (example) => {
      const stack = openStack({
        ...(await loadProject(join(repositoryRoot, "examples", example), "test")),
        state: memoryState(),
      });
      const { diagnostics, steps } = await stack.preview();
      expect(diagnostics).toEqual([]);
      const planned = steps.filter(({ type }) => type.startsWith("kubernetes:"));
      const expected = readDocuments(`examples/${example}/expected.yaml`);
      expect(planned.length).toBe(expected.length);
    },
  );
});

describe("types", () => {
  const program = `
    import { InferenceService } from "pulumi-inference";
    import { LeaderWorkerSet } from "pulumi-inference/kubernetes";
    import { planInferenceService, type Manifest } from "pulumi-inference/sdk";
    import * as engine from "pulumi-inference/engine";
    export const plan: Manifest[] = planInferenceService({ metadata: { name: "a" }, spec: { roles: [] } });
    export const classes = [InferenceService, LeaderWorkerSet, engine] as const;
    // @ts-expect-error A service has roles.
    new InferenceService("a", {});
  `;
  it.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
    ["commonjs", "node10"],
  ])(
    "are found with module %s and moduleResolution %s",
    async (module, moduleResolution) => {
      const extension = module === "nodenext" ? "mts" : "ts";
      writeFileSync(join(project, `types.${extension}`), program);
      const tsc = join(repositoryRoot, "node_modules", "typescript", "bin", "tsc");
      const options = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2023",
        "--types",
        "node",
        "--ignoreDeprecations",
        "6.0",
      ];
      const args = [
        tsc,
        ...options,
        "--module",
        module,
        "--moduleResolution",
        moduleResolution,
        `types.${extension}`,
      ];
      const output = await run(process.execPath, args, { cwd: project }).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
      expect(output).toBe("");
    },
    120_000,
  );
});
