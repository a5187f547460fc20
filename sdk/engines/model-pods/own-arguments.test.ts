import { describe, expect, it } from "vitest";
import type { InferenceServiceInput } from "../../index.ts";
import { planInferenceService } from "../../plan/inference-service.ts";
import type { Container, PodTemplate } from "../../schemas/pod-template.ts";
import { problemsIn } from "../../validate/problems-in.fixture.ts";

type Engine = { readonly name: string; readonly args?: readonly string[] };

const planOf = (engine: Engine, spec: object = {}) =>
  planInferenceService({
    metadata: { name: "chat" },
    spec: {
      model: { name: "Qwen/Qwen3-32B" },
      accelerator: "h200-sxm",
      engine,
      roles: [
        { name: "worker", componentType: "worker" },
        { name: "router", componentType: "router" },
      ],
      ...spec,
    },
  } as unknown as InferenceServiceInput);

const specOf = (plan: ReturnType<typeof planOf>, kind: string) =>
  plan.find((object) => object.kind === kind)?.spec as never;

function podOf(engine: Engine, spec: object = {}) {
  const { leaderWorkerTemplate: pods } = specOf(planOf(engine, spec), "LeaderWorkerSet") as {
    leaderWorkerTemplate: { leaderTemplate?: PodTemplate; workerTemplate: PodTemplate };
  };
  return (pods.leaderTemplate ?? pods.workerTemplate).spec.containers[0] as Container;
}

const problemsOf = (engine: Engine, spec: object = {}) =>
  problemsIn(() => planOf(engine, spec)).map(({ path, given, fix }) => `${path}: ${given}. ${fix}`);

describe("a port in args", () => {
  it.each([
    ["vllm", ["--port=9000"]],
    ["vllm", ["--port", "9000"]],
    ["sglang", ["--port", "9000"]],
    ["tensorrt-llm", ["--port=9000"]],
  ])("a port of %s is set in the container, its probes and the pool: %j", (name, args) => {
    const engine = podOf({ name, args });
    const probe = { httpGet: { path: "/health", port: 9000 } };
    expect(engine).toMatchObject({ startupProbe: probe, readinessProbe: probe });
    expect(engine.ports).toEqual([{ name: "http", containerPort: 9000 }]);
    expect(specOf(planOf({ name, args }), "InferencePool")).toMatchObject({
      targetPorts: [{ number: 9000 }],
    });
    const words = (engine.args as string[]).join("=");
    expect(words.match(/--port/g)).toHaveLength(1);
  });

  it.each(["0", "65536", "http", "-1"])("port %s is refused", (port) => {
    expect(problemsOf({ name: "vllm", args: [`--port=${port}`] })).toEqual([
      `engine,args: set --port ${port}. Set --port to a number.`,
    ]);
  });
});

describe("arguments in args", () => {
  const stored = {
    model: { name: "Qwen/Qwen3-32B", source: "s3", location: "s3://models/qwen" },
  };

  it.each(["vllm", "sglang"])("args replace the planned served name of %s", (name) => {
    const engine = podOf({ name, args: ["--served-model-name", "chat"] }, stored);
    const words = (engine.args as string[]).join(" ");
    expect(words.match(/--served-model-name \S+/g)).toEqual(["--served-model-name chat"]);
  });

  const lora = { adapters: [{ name: "a", source: "org/a" }] };
  const speculative = { method: "ngram", tokens: 3 };
  const common = { dtype: "bfloat16", kvCacheDtype: "fp8", maxModelLen: 8192, maxNumSeqs: 8 };
  const parallel = { memoryFraction: 0.8, tensorParallel: 2, dataParallel: 2 };

  it.each<[Record<string, unknown> & Engine]>([
    [{ name: "vllm", ...common, ...parallel, expertParallel: true, speculative }],
    [{ name: "vllm", ...common, lora, pipelineParallel: 2, kvOffload: { cpu: "20Gi" } }],
    [{ name: "vllm", quantization: "fp8", kvOffload: { cpu: "20Gi", disk: { claim: "kv" } } }],
    [{ name: "sglang", ...common, ...parallel, expertParallel: true, speculative }],
    [{ name: "sglang", ...common, lora, kvOffload: { cpu: "20Gi", disk: { claim: "kv" } } }],
    [{ name: "sglang", quantization: "fp8", pipelineParallel: 2 }],
    [{ name: "tensorrt-llm", maxModelLen: 8192, maxNumSeqs: 8, tensorParallel: 2 }],
  ])("args and settings never set an option twice: %j", (settings) => {
    const moe = { model: { ...stored.model, name: "Qwen/Qwen3-30B-A3B" } };
    const spec = settings.expertParallel === true ? moe : stored;
    const options = (podOf(settings, spec).args as string[]).filter((word) =>
      word.startsWith("--"),
    );
    expect(options.length).toBeGreaterThan(5);
    for (const option of options) {
      const repeated = { ...settings, args: [`${option}=1`] };
      const refused = problemsIn(() => planOf(repeated, spec));
      if (refused.length > 0) {
        expect(refused.map(({ given }) => given).join()).toContain(`set ${option}`);
        continue;
      }
      const words = podOf(repeated, spec).args as string[];
      expect(words.filter((word) => word.split("=")[0] === option)).toEqual([`${option}=1`]);
    }
  });

  it.each<[Engine, string]>([
    [{ name: "vllm", args: ["--model", "Qwen/Qwen3-8B"] }, "model.name"],
    [{ name: "vllm", args: ["--revision", "v1"] }, "model.revision"],
    [{ name: "vllm", args: ["--max-model-len=4096"] }, "maxModelLen"],
    [{ name: "vllm", args: ["--max_model_len=4096"] }, "maxModelLen"],
    [{ name: "vllm", args: ["-tp", "4"] }, "tensorParallel"],
    [{ name: "vllm", args: ["--no-enable-expert-parallel"] }, "expertParallel"],
    [{ name: "vllm", args: ["--gpu-memory-util", "0.5"] }, "memoryFraction"],
    [{ name: "vllm", args: ["--quantization=fp8"] }, "quantization"],
    [{ name: "vllm", args: ["--kv-cache-dtype", "fp8"] }, "kvCacheDtype"],
    [{ name: "sglang", args: ["--tp", "4"] }, "tensorParallel"],
    [{ name: "sglang", args: ["--mem-fraction-static=0.5"] }, "memoryFraction"],
    [{ name: "tensorrt-llm", args: ["--tp_size=4"] }, "tensorParallel"],
  ])("args with an option that a field sets are refused: %j", (engine, field) => {
    expect(problemsOf(engine)).toEqual([
      expect.stringMatching(new RegExp(`^engine,args: set --.*from args, and set ${field}\\.$`)),
    ]);
  });

  it.each([["Qwen/Qwen3-8B"], ["--trust-remote-code", "true"]])(
    "args that name another model are refused: %j",
    (...args) => {
      expect(problemsOf({ name: "vllm", args })).toEqual([
        `engine,args: contain ${args.at(-1)}, which belongs to no option. Remove it, or set model.name.`,
      ]);
    },
  );

  it.each<[Engine]>([
    [{ name: "vllm", args: ["--kv-cache-dtype=fp8_e5m2"] }],
    [{ name: "vllm", args: ["--speculative-config", '{"method":"ngram"}'] }],
    [{ name: "vllm", args: ["--host", "::", "--enable-log-requests"] }],
    [{ name: "sglang", args: ["--speculative-algorithm", "NGRAM", "--chunked-prefill-size=4096"] }],
  ])("args with values that no field has are passed to the engine: %j", (engine) => {
    expect((podOf(engine).args as string[]).join(" ")).toContain((engine.args ?? []).join(" "));
  });
});

it("a refused start of a typed engine names the field that corrects it", () => {
  const engine = {
    name: "vllm",
    lora: { adapters: [{ name: "a", source: "org/a" }], maxRank: 48 },
  };
  expect(problemsOf(engine)).toEqual([expect.stringMatching(/Set lora\.maxRank to 64\.$/)]);
});

it.each<[Engine & { readonly env?: object; readonly tensorParallel?: number }, RegExp]>([
  [{ name: "vllm", args: ["--speculative-config={'method':'ngram'}"] }, /does not accept/],
  [{ name: "vllm", args: ["--block-size=7"] }, /set --block-size 7/],
  [{ name: "vllm", args: ["--enable-auto-tool-choice"] }, /without --tool-call-parser/],
  [
    { name: "vllm", tensorParallel: 2, env: { CUDA_VISIBLE_DEVICES: "0" } },
    /set CUDA_VISIBLE_DEVICES to "0"/,
  ],
])("a typed engine that would not start is refused: %j", (engine, given) => {
  expect(problemsOf(engine)).toEqual([expect.stringMatching(given)]);
});
