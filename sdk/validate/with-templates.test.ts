import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatProblem } from "../errors.ts";
import type { InferenceServiceInput } from "../index.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import type { Container } from "../schemas/pod-template.ts";
import { problemsIn } from "./problems-in.fixture.ts";

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
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
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
  it("gets the engine's image, arguments, port and devices from a spec of six lines", () => {
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

  it("has a startup probe that allows for the source's time to deliver the weights", () => {
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

  it("keeps the fields of a role's template, entry by entry", () => {
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

  it("accepts a separate engine and accelerator for a role", () => {
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

  it("keeps KV blocks on disk below those in host memory", () => {
    const kvOffload = { cpu: "100Gi", disk: { claim: "kv" } };
    const [pod] = podsOf({ engine: vllm({ kvOffload }) });
    const args = engineOf({ engine: vllm({ kvOffload }) }).args as string[];
    expect(JSON.parse(args[args.indexOf("--kv-transfer-config") + 1] ?? "")).toEqual({
      kv_connector: "OffloadingConnector",
      kv_role: "kv_both",
      kv_connector_extra_config: {
        spec_name: "TieringOffloadingSpec",
        cpu_bytes_to_use: 100 * 2 ** 30,
        secondary_tiers: [{ type: "fs", root_dir: "/kv-cache" }],
      },
    });
    expect(pod?.spec.volumes).toContainEqual({
      name: "kv-cache",
      persistentVolumeClaim: { claimName: "kv" },
    });
    const other = engineOf({ engine: sglang({ kvOffload }) });
    expect(other.args).toEqual(expect.arrayContaining(["--hicache-storage-backend", "file"]));
    expect(other.env).toEqual([
      { name: "SGLANG_HICACHE_FILE_BACKEND_STORAGE_DIR", value: "/kv-cache" },
    ]);
  });

  it("requests accelerators by the class of a DRA driver", () => {
    const acceleratorResource = "deviceclass.resource.kubernetes.io/gpu.nvidia.com";
    expect(engineOf({ acceleratorResource }).resources).toMatchObject({
      limits: { [acceleratorResource]: "1" },
    });
  });

  it("uses the token variable of a role's template", () => {
    const env = [{ name: "HF_TOKEN", value: "x" }];
    const template = { spec: { containers: [{ name: "vllm", env }] } };
    const model = huggingFace("meta-llama/Llama-3.1-8B-Instruct");
    expect(podsOf({ model, roles: [worker({ template })] })).toHaveLength(1);
  });

  it("requests the memory that a model needs on CPUs", () => {
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

describe("network devices", () => {
  const model = huggingFace("deepseek-ai/DeepSeek-R1");
  const rdma = {
    ...{ kind: "rdma", resource: "rdma/ib", devices: 8, gidIndex: 3, socketInterface: "eth0" },
    hcas: ["mlx5_0", "mlx5_1"],
  };
  const [plain] = podsOf({ model });
  const plainEngine = plain?.spec.containers[0] as Container;

  it("RDMA devices add resources, the IPC_LOCK capability, and variables of NCCL and UCX", () => {
    expect(engineOf({ model, network: rdma })).toEqual({
      ...plainEngine,
      resources: {
        ...plainEngine.resources,
        limits: { ...plainEngine.resources?.limits, "rdma/ib": "8" },
      },
      securityContext: { capabilities: { add: ["IPC_LOCK"] } },
      env: expect.arrayContaining([
        { name: "NCCL_IB_HCA", value: "=mlx5_0,mlx5_1" },
        { name: "UCX_NET_DEVICES", value: "mlx5_0:1,mlx5_1:1" },
        { name: "NCCL_IB_GID_INDEX", value: "3" },
        { name: "UCX_IB_GID_INDEX", value: "3" },
        { name: "NCCL_SOCKET_IFNAME", value: "eth0" },
        { name: "GLOO_SOCKET_IFNAME", value: "eth0" },
      ]),
    });
  });

  it("SR-IOV devices attach a network for each device", () => {
    const network = { kind: "sriov", resource: "openshift.io/nics", networks: ["rail0", "rail1"] };
    const [pod] = podsOf({ model, network });
    expect(pod?.metadata?.annotations).toMatchObject({
      "k8s.v1.cni.cncf.io/networks": "rail0,rail1",
    });
    expect(pod?.spec.containers[0]?.resources?.limits).toMatchObject({ "openshift.io/nics": "2" });
  });

  it("AWS devices set libfabric's provider", () => {
    const engine = engineOf({
      ...{ model, network: { kind: "efa", devices: 32 } },
      engine: vllm({ image: "registry.example.com/vllm-efa:0.32.0" }),
    });
    expect(engine.resources?.limits).toMatchObject({ "vpc.amazonaws.com/efa": "32" });
    expect(engine.env).toContainEqual({ name: "FI_PROVIDER", value: "efa" });
  });

  it("no network devices are planned for single-pod replicas of a worker", () => {
    expect(podsOf({ network: rdma })).toEqual(podsOf({}));
  });

  it("prefillers and decoders get network devices, which SGLang's transfer uses", () => {
    const roles = [
      { name: "prefill", componentType: "prefiller" },
      { name: "decode", componentType: "decoder" },
      router(),
    ];
    for (const { spec } of podsOf({ roles, network: rdma, engine: sglang({}) })) {
      const engine = spec.containers.find(({ name }) => name === "sglang");
      expect(engine?.resources?.limits).toMatchObject({ "rdma/ib": "8" });
      expect(engine?.args).toContain("mlx5_0,mlx5_1");
    }
  });
});

describe("a service that would not start is refused", () => {
  it.each<[string, Spec, string]>([
    [
      "for a container with another name than the engine's",
      {
        roles: [
          worker({ template: { spec: { containers: [{ name: "engine", args: ["--x"] }] } } }),
        ],
      },
      "roles.0.template.spec.containers.0.image: is missing in container engine. Set image. Or did you mean container vllm, which runs the engine?",
    ],
    [
      "for an image of another engine",
      { engine: sglang({ image: "vllm/vllm-openai:v0.32.0" }) },
      "engine.image: is vllm/vllm-openai:v0.32.0, which contains vLLM. Remove image to use the default one, or set engine.name to vllm.",
    ],
    [
      "for an image for other devices",
      { engine: vllm({ image: "rocm/vllm:v0.11.0" }) },
      "engine: run rocm/vllm:v0.11.0, which is built for AMD GPUs, on NVIDIA GPUs. Use an image of vLLM for NVIDIA GPUs.",
    ],
    [
      "for an init container without an image",
      { roles: [worker({ template: { spec: { initContainers: [{ name: "init" }] } } })] },
      "roles.0.template.spec.initContainers.0.image: is missing in container init. Set image.",
    ],
    [
      "for a model without facts",
      { model: huggingFace("Qwen/Qwen3-33B") },
      'model.name: is "Qwen/Qwen3-33B", which is not in the table of known models. Did you mean Qwen/Qwen3-32B? If not, set model.config to the contents of the model\'s config.json.',
    ],
    [
      "for a tensor parallel size that no head count divides by",
      { engine: vllm({ tensorParallel: 3 }) },
      "engine.tensorParallel: is 3, but Qwen/Qwen3-32B does not divide evenly over that number of devices. Remove tensorParallel.",
    ],
    [
      "for a longer context than the model's",
      { engine: vllm({ maxModelLen: 100_000 }) },
      "engine.maxModelLen: is 100000, but Qwen/Qwen3-32B supports 40960 tokens. Lower maxModelLen, or scale the model's positions with --hf-overrides in engine.args.",
    ],
    [
      "for an accelerator by half a name",
      { accelerator: "h100" },
      'accelerator: is "h100". Did you mean h100-sxm, h100-pcie, h100-nvl or h100-sxm-1g.10gb?',
    ],
    [
      "for a claim without a name",
      { model: { name: "Qwen/Qwen3-32B", source: "pvc" } },
      "model.location: is missing with source pvc. Set location.",
    ],
    [
      "for a setting that TensorRT-LLM reads from a file",
      { engine: tensorRtLlm({ lora: {} }) },
      "engine.lora: is set for TensorRT-LLM. Remove lora, or mount a configuration file and pass --config in engine.args.",
    ],
    [
      "for a platform without a known image",
      { accelerator: "tpu-v6e" },
      "engine.image: is missing, and there is no default image of vLLM for TPU v6e. Set engine.image.",
    ],
    [
      "for a gated model without a token",
      { model: huggingFace("meta-llama/Llama-3.1-8B-Instruct") },
      "model.token: is missing, but on Hugging Face only accounts that accepted its terms can download meta-llama/Llama-3.1-8B-Instruct. Accept the terms on the model's page, and set model.token to the Secret.",
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
      "engine.name: is tensorrt-llm for prefillers and decoders, but TensorRT-LLM reads the KV cache transfer from a file. Use one of these, or remove model and write the role's template.",
    ],
    [
      "for an SR-IOV device without its resource",
      { network: { kind: "sriov" } },
      "network.resource: is missing with kind sriov. Set resource to the resourceName of the SriovNetworkNodePolicy.",
    ],
    [
      "for Elastic Fabric Adapters without their number",
      { network: { kind: "efa" }, engine: vllm({ image: "vllm-efa:0.32.0" }) },
      "network.devices: is missing with kind efa. Set devices to the number of adapters per node, or to the pod's share of them.",
    ],
    [
      "for Elastic Fabric Adapters with an image that cannot use them",
      { network: { kind: "efa", devices: 4 } },
      "network.kind: is efa, but the engine's default image has no libfabric for NCCL. Set engine.image to such an image.",
    ],
    [
      "for networks of a kind that attaches none",
      { network: { kind: "rdma", networks: ["rail0"] } },
      "network.networks: is set with kind rdma. Remove networks.",
    ],
    [
      "for network devices of CPUs",
      {
        ...{ accelerator: "cpu", network: { kind: "rdma" } },
        model: huggingFace("Qwen/Qwen2.5-0.5B-Instruct"),
      },
      "network: is set for an accelerator that uses neither NCCL nor RCCL. Remove network, and set the vendor's resources and environment variables in the role's template.",
    ],
    [
      "for KV blocks of a pair in host memory",
      {
        engine: vllm({ kvOffload: { cpu: "10Gi" } }),
        roles: [
          { name: "prefill", componentType: "prefiller" },
          { name: "decode", componentType: "decoder" },
          router(),
        ],
      },
      "engine.kvOffload: is set for a prefiller or decoder, but vLLM with this setting does not start, or starts without the KV cache transfer. Remove kvOffload, or write the role's template with the required connectors.",
    ],
    [
      "for KV blocks on a disk of two kinds",
      { engine: vllm({ kvOffload: { cpu: "10Gi", disk: { claim: "kv", hostPath: "/kv" } } }) },
      "engine.kvOffload.disk: sets both claim and hostPath. Set one of the two.",
    ],
    [
      "without an accelerator",
      { accelerator: undefined },
      "accelerator: is missing. Add accelerator.",
    ],
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
    expect(problem).toMatch(/Set tensorParallel to 4, or remove the sizes; or use accelerator/);
  });
});
