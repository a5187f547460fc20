import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { bundlePacks } from "../../policies/bundle.ts";
import { folderOf, run as runAlone } from "../sample.fixture.ts";
import { keptPacks } from "./kept-packs.fixture.ts";

beforeAll(bundlePacks);
const packs = keptPacks();
afterAll(() => packs[Symbol.asyncDispose]());

/** 70 billion parameters, which do not fit into one L4. */
const config = (fields: object = {}) =>
  JSON.stringify({
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: 128_256,
    hidden_size: 8192,
    intermediate_size: 28_672,
    num_hidden_layers: 80,
    num_attention_heads: 64,
    num_key_value_heads: 8,
    max_position_embeddings: 131_072,
    torch_dtype: "bfloat16",
    ...fields,
  });

const deployment = (name: string, model: string) => `\
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: ml }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      nodeSelector: { nvidia.com/gpu.product: NVIDIA-L4 }
      containers:
        - name: engine
          image: vllm/vllm-openai:v0.30.0
          args: [--model, ${model}]
          resources: { limits: { nvidia.com/gpu: "1" } }
`;

const templateOf = (manifest: string) => parse(manifest).spec.template;

/** Runs a check, and returns its findings of the two rules on models. */
async function check(manifests: string, ...files: string[]) {
  using folder = folderOf(Object.fromEntries(files.map((text, at) => [`${at}.json`, text])));
  const named = files.flatMap((_, at) => ["--config", `${folder.path}/${at}.json`]);
  const args = ["check", "-", "--format", "json", ...named];
  const { code, out, err } = await runAlone(args, manifests, false, { startPack: packs.start });
  const findings = out === "" ? [] : JSON.parse(out).findings;
  return {
    code,
    err: err.replaceAll(`${folder.path}/`, ""),
    found: (JSON.stringify(findings).match(
      /loads [^,]*, which is not in the catalog|of weights on each/g,
    ) ?? []) as string[],
  };
}

describe("a model that is not in the catalog", () => {
  const one = deployment("chat", "acme/new");

  it("is reported once, although two workloads load it", async () => {
    const { found } = await check(`${one}---\n${deployment("other", "acme/new")}`);
    expect(found).toEqual(["loads acme/new, which is not in the catalog"]);
  });

  it("is reported and described for a service with templates as well", async () => {
    const service = JSON.stringify({
      apiVersion: "fusioninfer.io/v1alpha1",
      kind: "InferenceService",
      metadata: { name: "chat", namespace: "ml" },
      spec: { roles: [{ name: "worker", componentType: "worker", template: templateOf(one) }] },
    });
    expect((await check(service)).found).toEqual(["loads acme/new, which is not in the catalog"]);
    expect((await check(service, config())).found).toEqual(["of weights on each"]);
  });

  it.each([
    ["the name in its config.json", { _name_or_path: "acme/new" }],
    ["being the only one", {}],
    ["being the only one, with the name of its base model", { _name_or_path: "acme/base" }],
  ])("is checked after its config.json, found by %s", async (_, fields) => {
    const { found } = await check(one, config(fields));
    expect(new Set(found)).toEqual(new Set(["of weights on each"]));
  });

  it("stays unchecked if the file names another model", async () => {
    const both = `${one}---\n${deployment("other", "acme/other")}`;
    const { found } = await check(both, config({ _name_or_path: "acme/new" }));
    expect(new Set(found)).toEqual(
      new Set(["of weights on each", "loads acme/other, which is not in the catalog"]),
    );
  });
});

it.each([
  [
    "names none of two unknown models",
    `${deployment("a", "acme/a")}---\n${deployment("b", "acme/b")}`,
    [config()],
    "has no _name_or_path; set _name_or_path to the model that it describes: acme/a or acme/b",
  ],
  [
    "describes a model that no engine loads",
    deployment("a", "Qwen/Qwen3-8B"),
    [config({ _name_or_path: "acme/a" })],
    "no engine loads a model that is not in the catalog",
  ],
  [
    "lacks a size",
    deployment("a", "acme/a"),
    [config({ hidden_size: undefined })],
    "--config 0.json: config.json",
  ],
  ["is not JSON", deployment("a", "acme/a"), ["{"], "0.json: "],
  [
    "describes the model of another file",
    deployment("a", "acme/a"),
    [config({ _name_or_path: "acme/a" }), config({ _name_or_path: "acme/a" })],
    "--config 1.json: another file already describes acme/a",
  ],
  [
    "is a second configuration of policies",
    deployment("a", "acme/a"),
    ['{"all":"advisory"}', '{"all":"advisory"}'],
    "--config 1.json: is a second configuration of policies",
  ],
] as const)("a file that %s is refused", async (_, manifests, files, message) => {
  const { code, err } = await check(manifests, ...files);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

it("a file that is not there is refused", async () => {
  const args = ["check", "-", "--config", "/none.json"];
  const { code, err } = await runAlone(args, deployment("a", "acme/a"), false, {
    startPack: packs.start,
  });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("/none.json") });
});
