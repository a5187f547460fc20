import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { knownModels } from "../../sdk/engines/models/model-facts.ts";
import { compilerProblems } from "../../testing/programs/compile.ts";
import { planProject } from "../../testing/programs/example-programs.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { folderOf, run } from "../sample.fixture.ts";

/** Projects of each kind: one device, several, several nodes, gated, each engine, and each task. */
const projects: ReadonlyArray<readonly [model: string, accelerator: string, ...args: string[]]> = [
  ["Qwen/Qwen3-32B", "h100-sxm"],
  ["Qwen/Qwen2.5-0.5B-Instruct", "cpu", "--name", "chat"],
  ["meta-llama/Llama-3.1-8B-Instruct", "mi300x", "--gateway-class", "istio"],
  ["deepseek-ai/DeepSeek-R1", "h100-sxm", "--engine", "sglang"],
  ["openai/gpt-oss-120b", "b200-sxm", "--engine", "tensorrt-llm"],
  ["BAAI/bge-m3", "l4"],
  ["BAAI/bge-reranker-v2-m3", "l4"],
];

const init = (folder: string, model: string, accelerator: string, ...args: string[]) =>
  run(["init", folder, "--model", model, "--accelerator", accelerator, ...args], "", false, {
    ownDependency: () => "file:/p.tgz",
  });

const read = (folder: string, file: string) => readFileSync(join(folder, file), "utf8");

/** Provides the packages that `npm install` would install in the project. */
function install(folder: string): void {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(repositoryRoot, join(folder, "node_modules", "pulumi-inference"));
  symlinkSync(
    join(repositoryRoot, "node_modules", "@pulumi"),
    join(folder, "node_modules", "@pulumi"),
  );
}

describe.each(projects)("a project for %s on %s", (model, accelerator, ...args) => {
  it("previews without a warning, except for the unpublished image", async () => {
    using folder = folderOf({});
    const { code, err } = await init(folder.path, model, accelerator, ...args);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    install(folder.path);
    const { objects, diagnostics } = await planProject(folder.path);
    const warnings = diagnostics.filter(({ severity }) => severity !== "info");
    expect(warnings.filter(({ message }) => !message.includes("pulumi-inference:image"))).toEqual(
      [],
    );
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).toEqual(
      expect.arrayContaining(["LeaderWorkerSet", "InferencePool", "Gateway", "HTTPRoute"]),
    );
    expect(JSON.stringify(objects)).toContain(model);
  });
});

it("every project compiles with its own options", async () => {
  const texts = new Map<string, string>();
  let own: object = {};
  for (const [at, [model, accelerator, ...args]] of projects.entries()) {
    using folder = folderOf({});
    await init(folder.path, model, accelerator, ...args);
    const { config } = ts.readConfigFile(join(folder.path, "tsconfig.json"), ts.sys.readFile);
    const { options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder.path);
    expect(errors).toEqual([]);
    own = options;
    // The text is compiled in this repository, whose package it imports unbuilt.
    texts.set(`examples/written-${at}.ts`, read(folder.path, "index.ts"));
  }
  const unbuilt = { customConditions: ["source"], rootDir: repositoryRoot };
  expect(compilerProblems(texts, { ...own, ...unbuilt })).toEqual([]);
});

it("the default name is valid for every known model", async () => {
  using folder = folderOf({});
  const refused: string[] = [];
  for (const model of knownModels()) {
    const { code, err } = await init(join(folder.path, model), model, "b300-sxm");
    if (code !== 0) refused.push(`${model}: ${err}`);
  }
  expect(refused).toEqual([]);
});

describe("the files of a project", () => {
  it("a project has the program, its packages and the next commands", async () => {
    using folder = folderOf({});
    const target = join(folder.path, "new", "chat");
    const { out } = await init(target, "Qwen/Qwen3-32B", "h100-sxm");
    expect(out).toBe(`Wrote qwen3-32b to ${target}. Its README.md has the next commands.\n`);
    expect(readdirSync(target).toSorted()).toEqual([
      ".gitignore",
      "Pulumi.yaml",
      "README.md",
      "index.ts",
      "package.json",
      "tsconfig.json",
    ]);
    expect(read(target, "index.ts")).toBe(`\
import { huggingFace, InferenceService, router, vllm, worker } from "pulumi-inference";

const service = new InferenceService("qwen3-32b", {
  model: huggingFace("Qwen/Qwen3-32B"),
  accelerator: "h100-sxm",
  engine: vllm(),
  roles: [
    worker({ replicas: 1 }),
    router({
      gateway: {
        gatewayClassName: "agentgateway",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    }),
  ],
});

/** Base URL of the OpenAI API; empty until the gateway has an address. */
export const url = service.url.apply((known) => known ?? "");
/** The gateway that serves the URL, or the reason why there is none yet. */
export const urlStatus = service.urlStatus;
`);
    const { dependencies, main } = JSON.parse(read(target, "package.json"));
    expect(readdirSync(target)).toContain(main);
    const { peerDependencies } = JSON.parse(read(repositoryRoot, "package.json"));
    expect(dependencies).toEqual({ ...peerDependencies, "pulumi-inference": "file:/p.tgz" });
    expect(read(target, "README.md")).toContain(
      'pulumi up\nnpx pulumi-inference request qwen3-32b "Why is the sky blue?"',
    );
  });

  it("a project of a gated model contains its Secret's name and the command that creates it", async () => {
    using folder = folderOf({});
    await init(folder.path, "google/gemma-3-27b-it", "h100-sxm");
    expect(read(folder.path, "index.ts")).toContain(
      'huggingFace("google/gemma-3-27b-it", { token: "hf-token" })',
    );
    expect(read(folder.path, "README.md")).toContain(
      'kubectl create secret generic hf-token --from-literal=token="$HF_TOKEN"',
    );
  });

  it("a program has the format of this repository", async () => {
    using folder = folderOf({});
    await init(folder.path, "meta-llama/Llama-3.3-70B-Instruct", "h200-sxm", "--engine", "sglang");
    const biome = join(repositoryRoot, "node_modules", ".bin", "biome");
    const format = ["format", "--stdin-file-path=examples/written.ts"];
    const text = read(folder.path, "index.ts");
    expect(
      execFileSync(biome, format, { cwd: repositoryRoot, input: text, encoding: "utf8" }),
    ).toBe(text);
  });
});

describe("init refuses", () => {
  it.each<[string, string[], number, string]>([
    [
      "an unknown model",
      ["--model", "Qwen/Qwen3-33B", "--accelerator", "h100-sxm"],
      1,
      'model.name: is "Qwen/Qwen3-33B", which is not in the table of known models',
    ],
    [
      "an unknown accelerator",
      ["--model", "Qwen/Qwen3-32B", "--accelerator", "h100"],
      1,
      "Did you mean h100-sxm, h100-pcie, h100-nvl or h100-sxm-1g.10gb?",
    ],
    [
      "a model that does not fit",
      ["--model", "moonshotai/Kimi-K3", "--accelerator", "t4"],
      1,
      "engine.tensorParallel: moonshotai/Kimi-K3 needs",
    ],
    [
      "a platform without an image",
      ["--model", "Qwen/Qwen3-8B", "--accelerator", "tpu-v6e"],
      1,
      "engine.image: is missing, and there is no default image of vLLM for TPU v6e",
    ],
    [
      "a name that Kubernetes does not allow",
      ["--model", "Qwen/Qwen3-8B", "--accelerator", "l4", "--name", "My_Chat"],
      1,
      'metadata.name: is "My_Chat"',
    ],
    ["no accelerator", ["--model", "Qwen/Qwen3-8B"], 2, "--accelerator <name>' not specified"],
  ])("%s, and writes nothing", async (_what, args, code, message) => {
    using folder = folderOf({});
    const ran = await run(["init", folder.path, ...args], "", false, {
      ownDependency: () => expect.unreachable(),
    });
    expect({ code: ran.code, out: ran.out }).toEqual({ code, out: "" });
    expect(ran.err).toContain(message);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("a folder that has files, other than a repository of Git", async () => {
    using folder = folderOf({ "notes.txt": "mine" });
    const { code, err } = await init(folder.path, "Qwen/Qwen3-8B", "l4");
    expect({ code, err }).toEqual({
      code: 2,
      err: `${folder.path}: is not empty, it contains notes.txt; name a new or an empty folder\n`,
    });
    expect(readdirSync(folder.path)).toEqual(["notes.txt"]);
    using fresh = folderOf({});
    mkdirSync(join(fresh.path, ".git"));
    expect(await init(fresh.path, "Qwen/Qwen3-8B", "l4")).toMatchObject({ code: 0 });
  });

  it("a path that is not a folder", async () => {
    using folder = folderOf({ file: "" });
    const { code, err } = await init(join(folder.path, "file"), "Qwen/Qwen3-8B", "l4");
    expect(code).toBe(2);
    expect(err).toMatch(/file: ENOTDIR/);
  });
});

it("a model that is not in the catalog is checked and written with its config.json", async () => {
  using folder = folderOf({
    "given.json": JSON.stringify({
      model_type: "llama",
      architectures: ["LlamaForCausalLM"],
      vocab_size: 32_000,
      hidden_size: 4096,
      intermediate_size: 11_008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      max_position_embeddings: 4096,
      torch_dtype: "bfloat16",
    }),
  });
  const config = ["--config", join(folder.path, "given.json")];
  const project = join(folder.path, "new");
  const { code, err } = await init(project, "acme/new", "h100-sxm", ...config);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  install(project);
  const { objects, diagnostics } = await planProject(project);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(JSON.stringify(objects)).toContain("acme/new");
  expect(
    await init(join(folder.path, "none"), "acme/new", "h100-sxm", "--config", "/none.json"),
  ).toMatchObject({ code: 2, err: expect.stringContaining("/none.json") });
  expect(readdirSync(folder.path)).not.toContain("none");
});
