import { describe, expect, it } from "vitest";
import { type AcceleratorName, acceleratorTypes } from "../accelerators/index.ts";
import { engineFaults } from "./engine-faults.ts";

const container = (version: string, args: readonly string[], fields: object = {}) => ({
  name: "engine",
  image: `vllm/vllm-openai:${version}`,
  args: ["--model", ...args],
  resources: { limits: { "nvidia.com/gpu": 1 } },
  ...fields,
});

const kindsOf = (engine: ReturnType<typeof container>, accelerator?: AcceleratorName) => {
  const type = accelerator && acceleratorTypes[accelerator];
  const pod = { containers: [engine] } as never;
  return [...engineFaults(engine, pod, { pods: 1, accelerator: type })].map(({ kind }) => kind);
};

const fp8 = "Qwen/Qwen3-32B-FP8";
const short = ["--max-model-len", "4096"];
const draft = (model: string, sizes: object = {}) =>
  JSON.stringify({ model, num_speculative_tokens: 3, ...sizes });

describe("a check without the necessary facts", () => {
  it.each([
    ["FP8 blocks on A100 without a version", container("latest", [fp8, ...short]), "a100-sxm-80gb"],
    ["FP8 blocks on A100 by Marlin", container("v0.32.0", [fp8, ...short]), "a100-sxm-80gb"],
    [
      "FP8 blocks on a GPU without a CUDA capability",
      container("v0.8.5", [fp8, ...short]),
      "mi300x",
    ],
    ["a large model on an unknown GPU", container("v0.32.0", ["Qwen/Qwen3-32B"]), undefined],
    [
      "a context in a variable",
      container("v0.32.0", ["Qwen/Qwen3-8B", "--max-model-len", "$(N)"]),
      "h100-sxm",
    ],
    ["options of a file", container("v0.32.0", ["Qwen/Qwen3-32B", "--config", "c.yaml"]), "l4"],
    [
      "a model that is not known",
      container("v0.32.0", ["org/model", "--max-model-len", "9999999"]),
      "t4",
    ],
    [
      "overridden sizes",
      container("v0.32.0", ["Qwen/Qwen3-8B", "--max-model-len", "131072", "--hf-overrides", "{}"]),
      "h100-sxm",
    ],
    [
      "scaled positions",
      container("v0.10.0", [
        "Qwen/Qwen3-8B",
        "--max-model-len",
        "131072",
        "--rope-scaling",
        '{"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768}',
      ]),
      "h100-sxm",
    ],
    [
      "a longer context with scaled positions that a variable allows",
      container("v0.32.0", ["Qwen/Qwen3-8B", "--max-model-len", "50000", "--hf-overrides", "{}"], {
        env: [{ name: "VLLM_ALLOW_LONG_MAX_MODEL_LEN", value: "1" }],
      }),
      "h100-sxm",
    ],
    [
      "a gated model in a cache",
      container("v0.32.0", ["meta-llama/Llama-3.1-8B", ...short], {
        volumeMounts: [{ name: "cache", mountPath: "/root/.cache/huggingface" }],
      }),
      "h100-sxm",
    ],
    [
      "a gated model with variables from a Secret",
      container("v0.32.0", ["meta-llama/Llama-3.1-8B", ...short], {
        envFrom: [{ secretRef: { name: "hf" } }],
      }),
      "h100-sxm",
    ],
    [
      "a model that is quantized on loading",
      container("v0.32.0", ["Qwen/Qwen3-32B", "--quantization", "fp8", ...short]),
      "l40s",
    ],
  ] as const)("reports nothing: %s", (_, engine, accelerator) => {
    expect(kindsOf(engine, accelerator)).toEqual([]);
  });
});

describe("a check with the necessary facts", () => {
  it.each([
    [
      "draft",
      "a draft model of 14 heads over 4 ranks",
      container(
        "v0.32.0",
        [
          "Qwen/Qwen3-32B",
          ...short,
          "--tensor-parallel-size",
          "4",
          "--speculative-config",
          draft("Qwen/Qwen2.5-0.5B-Instruct"),
        ],
        { resources: { limits: { "nvidia.com/gpu": 4 } } },
      ),
    ],
    [
      "draft",
      "a draft model in groups of AWQ",
      container(
        "v0.32.0",
        [
          "Qwen/Qwen2.5-32B-Instruct-AWQ",
          ...short,
          "--tensor-parallel-size",
          "8",
          "--speculative-config",
          draft("Qwen/Qwen2.5-3B-Instruct-AWQ", { draft_tensor_parallel_size: 4 }),
        ],
        { resources: { limits: { "nvidia.com/gpu": 8 } } },
      ),
    ],
    [
      "named-quantization",
      "AWQ of a checkpoint without it",
      container("v0.32.0", ["Qwen/Qwen3-8B", "--quantization", "awq", ...short]),
    ],
    [
      "kv-data-type",
      "FP8 in 5 bits of exponent with an FP8 checkpoint",
      container("v0.32.0", [fp8, "--kv-cache-dtype", "fp8_e5m2", ...short]),
    ],
    [
      "host-memory",
      "offloaded weights above the memory limit",
      container("v0.32.0", ["Qwen/Qwen3-8B", "--cpu-offload-gb", "64", ...short], {
        resources: { limits: { "nvidia.com/gpu": 1, memory: "32Gi" } },
      }),
    ],
    [
      "context",
      "a longer context that a variable allows, without positions",
      container("v0.32.0", ["Qwen/Qwen3-8B", "--max-model-len", "50000"], {
        env: [{ name: "VLLM_ALLOW_LONG_MAX_MODEL_LEN", value: "1" }],
      }),
    ],
    [
      "step-tokens",
      "fewer tokens of a step than sequences",
      container("v0.32.0", [
        "Qwen/Qwen3-8B",
        "--max-num-batched-tokens",
        "128",
        "--max-num-seqs",
        "256",
        ...short,
      ]),
    ],
    [
      "stages",
      "more stages than layers",
      container("v0.32.0", ["Qwen/Qwen3-0.6B", "-pp", "32", ...short]),
    ],
    [
      "stages",
      "stages of an architecture that the release does not divide",
      container("v0.32.0", ["BAAI/bge-m3", "-pp", "2"], {
        resources: { limits: { "nvidia.com/gpu": 2 } },
      }),
    ],
  ] as const)("reports %s: %s", (kind, _, engine) => {
    expect(kindsOf(engine, "h100-sxm")).toEqual([kind]);
  });

  it("a draft model on one rank is not divided", () => {
    const config = draft("Qwen/Qwen2.5-0.5B-Instruct", { draft_tensor_parallel_size: 1 });
    const args = ["Qwen/Qwen3-32B", ...short, "-tp", "4", "--speculative-config", config];
    const resources = { limits: { "nvidia.com/gpu": 4 } };
    expect(kindsOf(container("v0.32.0", args, { resources }), "h100-sxm")).toEqual([]);
  });
});

describe("the token of a gated model", () => {
  const gated = "meta-llama/Llama-3.1-8B-Instruct";
  const tokenKinds = (fields: object) =>
    kindsOf(container("v0.32.0", [gated, ...short], fields)).filter((kind) => kind === "token");
  const env = (name: string, value: string) => ({ env: [{ name, value }] });
  const script = (text: string) => ({ command: ["/bin/sh", "-c"], args: [text] });
  const serve = `vllm serve ${gated} ${short.join(" ")}`;

  it.each<[title: string, fields: object]>([
    ["no variable", {}],
    ["an empty token", env("HF_TOKEN", "")],
    ["a directory of downloads", env("HF_HOME", "/tmp/hf")],
    ["a cache of downloads", env("HF_HUB_CACHE", "/tmp/hf")],
    ["a script without a token", script(`exec ${serve}`)],
  ])("is missing with %s", (_, fields) => {
    expect(tokenKinds(fields)).toEqual(["token"]);
  });

  it.each<[title: string, fields: object]>([
    ["a token", env("HF_TOKEN", "hf")],
    ["a Secret", { env: [{ name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: "s" } } }] }],
    ["a file with the token", env("HF_TOKEN_PATH", "/t")],
    ["another endpoint", env("HF_ENDPOINT", "https://hub.internal")],
    ["a directory of another image", { ...env("HF_HOME", "/hf"), image: "example.com/vllm:1" }],
    ["a script that reads a file", script(`. /vault/secrets/hf && exec ${serve}`)],
    ["a script that reads a file in bash", script(`source /etc/hf.env; ${serve}`)],
    ["a script that exports a token", script(`export HF_TOKEN=$(cat /t) && exec ${serve}`)],
    ["a script that sets a token", script(`HF_TOKEN=$(cat /t) ${serve}`)],
  ])("may exist with %s", (_, fields) => {
    expect(tokenKinds(fields)).toEqual([]);
  });
});
