import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatProblem } from "../errors.ts";
import type { InferenceServiceInput } from "../index.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { Container } from "../spec/role.ts";
import { problemsIn } from "../validate/problems-in.fixture.ts";

const huggingFace = (name: string, fields: object = {}) => ({ name, ...fields });
const qwen = (source: string, location: string, fields: object = {}) => ({
  ...huggingFace("Qwen/Qwen3-32B", fields),
  ...{ source, location },
});
const engine = (name: string) => (settings: object) => ({ name, ...settings });
const [vllm, sglang, tensorRtLlm] = [engine("vllm"), engine("sglang"), engine("tensorrt-llm")];
const worker = (fields: object = {}) => ({ name: "worker", componentType: "worker", ...fields });
const router = () => ({ name: "router", componentType: "router" });

type Spec = Readonly<Record<string, unknown>>;

const input = (spec: Spec) =>
  ({
    metadata: { name: "chat" },
    spec: {
      model: huggingFace("Qwen/Qwen3-32B"),
      accelerator: "h100-sxm",
      roles: [worker(), router()],
      ...spec,
    },
  }) as unknown as InferenceServiceInput;

interface PlannedPod {
  readonly spec: {
    readonly containers: readonly Container[];
    readonly volumes?: readonly object[];
    readonly nodeSelector?: object;
  };
}

function podsOf(spec: Spec): PlannedPod[] {
  return planInferenceService(input(spec))
    .filter(({ kind }) => kind === "LeaderWorkerSet")
    .map(({ spec }) => {
      const { leaderWorkerTemplate: pods } = spec as {
        leaderWorkerTemplate: { leaderTemplate?: PlannedPod; workerTemplate: PlannedPod };
      };
      return pods.leaderTemplate ?? pods.workerTemplate;
    });
}

const engineOf = (spec: Spec) => podsOf(spec)[0]?.spec.containers[0] as Container;
const argsOf = (spec: Spec) => (engineOf(spec).args as string[]).join(" ");
const problemsOf = (spec: Spec) =>
  problemsIn(() => planInferenceService(input(spec))).map(
    ({ path, given, fix }) => `${path.join(".")}: ${given}. ${fix}`,
  );

describe("a service that names a model", () => {
  it("gets the engine's image, arguments, port and devices from six lines", () => {
    const engine = engineOf({ engine: vllm({ maxModelLen: 32_768 }) });
    expect(engine).toMatchObject({
      name: "vllm",
      image: "vllm/vllm-openai:v0.32.0",
      ports: [{ name: "http", containerPort: 8000 }],
      resources: { limits: { "nvidia.com/gpu": "2" } },
    });
    expect(engine.args).toEqual(
      expect.arrayContaining(["--model", "Qwen/Qwen3-32B", "--tensor-parallel-size", "2"]),
    );
  });

  it("gets groups of nodes for a model that one node cannot hold", () => {
    const args = argsOf({ model: huggingFace("deepseek-ai/DeepSeek-R1") });
    expect(args).toContain("--tensor-parallel-size 8 --pipeline-parallel-size 2");
    expect(args).toContain("--nnodes 2");
  });

  it.each([
    ["a file on a claim", qwen("pvc", "models", { path: "qwen" }), "/models/qwen"],
    ["an image", qwen("oci", "r.example.com/qwen:1"), "/models"],
    ["a bucket", qwen("s3", "s3://models/qwen"), "s3://models/qwen"],
  ])("loads %s and serves it under the model's name", (_what, model, path) => {
    expect(argsOf({ model })).toContain(`--model ${path} --served-model-name Qwen/Qwen3-32B`);
  });

  it("waits at startup for as long as the source takes to deliver the weights", () => {
    const probe = (model: object) =>
      engineOf({ model }).startupProbe as { periodSeconds: number; failureThreshold: number };
    const slow = probe(huggingFace("Qwen/Qwen3-32B", { mebibytesPerSecond: 20 }));
    const seconds = slow.periodSeconds * slow.failureThreshold;
    expect(seconds).toBeGreaterThan((65.5e9 / 20 / 2 ** 20) * 1.5);
    expect(probe(huggingFace("Qwen/Qwen3-32B")).failureThreshold).toBeLessThan(
      slow.failureThreshold,
    );
  });

  it("passes the token of a gated model from its Secret", () => {
    const { env } = engineOf({ model: huggingFace("Qwen/Qwen3-32B", { token: { secret: "hf" } }) });
    expect(env).toEqual([
      { name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: "hf", key: "token" } } },
    ]);
  });

  it("keeps what a role's own template sets, entry by entry", () => {
    const template = {
      spec: {
        nodeSelector: { pool: "h100" },
        containers: [
          { name: "vllm", env: [{ name: "A", value: "1" }] },
          { name: "log", image: "l:1" },
        ],
      },
    };
    const [pod] = podsOf({ roles: [worker({ template })] });
    expect(pod?.spec.nodeSelector).toEqual({ pool: "h100" });
    expect(pod?.spec.containers.map(({ name }) => name)).toEqual(["vllm", "log"]);
    expect(pod?.spec.containers[0]).toMatchObject({
      env: [{ name: "A", value: "1" }],
      image: "vllm/vllm-openai:v0.32.0",
    });
  });

  it("lets a role have an engine and an accelerator of its own", () => {
    const roles = [
      worker(),
      worker({ name: "large", accelerator: "h200-sxm", engine: sglang({ tensorParallel: 4 }) }),
    ];
    const [, large] = podsOf({ roles });
    expect(large?.spec.containers[0]).toMatchObject({
      image: "lmsysorg/sglang:v0.5.23",
      resources: { limits: { "nvidia.com/gpu": "4" } },
    });
  });

  it("reserves the memory that a model needs on CPUs", () => {
    const engine = engineOf({
      model: huggingFace("Qwen/Qwen2.5-0.5B-Instruct"),
      accelerator: "cpu",
      engine: vllm({ maxModelLen: 4_096 }),
    });
    expect(engine.image).toBe("vllm/vllm-openai-cpu:v0.32.0");
    expect(engine.env).toEqual([{ name: "VLLM_CPU_KVCACHE_SPACE", value: "1" }]);
    expect(engine.resources).toEqual({
      requests: { cpu: "2", memory: "5Gi" },
      limits: { memory: "5Gi" },
    });
  });
});

describe("a service that would not start is refused", () => {
  it.each<[string, Spec, string]>([
    [
      "for a model without facts",
      { model: huggingFace("Qwen/Qwen3-33B") },
      'model.name: is "Qwen/Qwen3-33B", which is not in the table of models. Did you mean Qwen/Qwen3-32B? If not, set model.config to the contents of the model\'s config.json.',
    ],
    [
      "for a tensor parallel size that no head count divides by",
      { engine: vllm({ tensorParallel: 3 }) },
      "engine.tensorParallel: is 3, and Qwen/Qwen3-32B divides over no such number of devices. Correct the parallel sizes, or leave them out.",
    ],
    [
      "for a longer context than the model's",
      { engine: vllm({ maxModelLen: 100_000 }) },
      "engine.maxModelLen: is 100000, and Qwen/Qwen3-32B takes 40960 tokens. Lower it, or stretch the model's positions by --hf-overrides in engine.args.",
    ],
    [
      "for an accelerator by half a name",
      { accelerator: "h100" },
      'accelerator: is "h100". Did you mean h100-sxm, h100-pcie, h100-nvl or h100-sxm-1g.10gb?',
    ],
    [
      "for a claim without a name",
      { model: { name: "Qwen/Qwen3-32B", source: "pvc" } },
      "model.location: is missing for source pvc. Set location.",
    ],
    [
      "for a setting that TensorRT-LLM reads from a file",
      { engine: tensorRtLlm({ lora: {} }) },
      "engine.lora: is set for TensorRT-LLM. Remove lora, or mount a file for --config and pass it in engine.args.",
    ],
    [
      "for a platform without a known image",
      { accelerator: "tpu-v6e" },
      "engine.image: is missing for vLLM on TPU v6e. Set engine.image.",
    ],
    [
      "for a gated model without a token",
      { model: huggingFace("meta-llama/Llama-3.1-8B-Instruct") },
      "model.token: is missing, and Hugging Face has meta-llama/Llama-3.1-8B-Instruct for accounts that accepted its terms. Accept the terms on the model's page, and set model.token to the Secret.",
    ],
    [
      "for a pair of TensorRT-LLM",
      {
        model: huggingFace("Qwen/Qwen3-32B-FP8"),
        engine: tensorRtLlm({}),
        roles: [
          { name: "prefill", componentType: "prefiller" },
          { name: "decode", componentType: "decoder" },
          router(),
        ],
      },
      "engine.name: is tensorrt-llm for prefillers and decoders, and TensorRT-LLM reads their transfer of KV blocks from a file. Choose one of these, or give the role a template and the service no model.",
    ],
    ["without an accelerator", { accelerator: undefined }, "accelerator: is missing. Add it."],
  ])("%s", (_what, spec, problem) => {
    expect(problemsOf(spec)).toEqual([problem]);
  });

  it("for a context that the KV cache cannot hold, with the message in the README", () => {
    const spec = input({ engine: vllm({ tensorParallel: 1, maxModelLen: 32_768 }) });
    const [problem] = problemsIn(() => planInferenceService(spec)).map(formatProblem);
    const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
    expect(readme.replaceAll(/\s+/g, " ")).toContain(problem);
  });

  it("for weights that do not fit, with the nearest configuration that does", () => {
    const [problem] = problemsOf({ engine: vllm({ tensorParallel: 1 }), accelerator: "l4" });
    expect(problem).toMatch(
      /^engine\.tensorParallel: Qwen\/Qwen3-32B needs 6\d\.\d GiB of weights/,
    );
    expect(problem).toMatch(
      /Set tensorParallel to 4, or leave the sizes out; or choose accelerator/,
    );
  });
});
