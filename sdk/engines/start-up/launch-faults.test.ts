import { describe, expect, it } from "vitest";
import { planInferenceService } from "../../plan/inference-service.ts";
import { launchFaults } from "./launch-faults.ts";
import { withWritableHome } from "./writable-home.ts";

const container = (fields: object = {}) => ({
  name: "engine",
  image: "vllm/vllm-openai:v0.32.0",
  args: ["--model", "m"],
  ...fields,
});
const faultsOf = (fields: object, pod: object = {}) =>
  Array.from(launchFaults(container(fields), pod), ({ kind }) => kind);

const asUser = (runAsUser: number, more: object = {}) => ({
  securityContext: { runAsUser, ...more },
});
const home = (value: string) => ({ env: [{ name: "HOME", value }] });
const mounted = {
  ...home("/home/engine"),
  volumeMounts: [{ name: "home", mountPath: "/home/engine" }],
};
const limits = (...resources: string[]) => ({
  resources: { limits: Object.fromEntries(resources.map((name) => [name, "2"])) },
});
const args = (...words: string[]) => ({ args: ["--model", "m", ...words] });
const shows = (value: string) => ({
  ...{ image: "example.com/vllm:1", env: [{ name: "CUDA_VISIBLE_DEVICES", value }] },
});
const sglang = (image: string) => ({
  ...{ image, command: ["python3", "-m", "sglang.launch_server"] },
  args: ["--model-path", "m"],
});
const isOffline = (value: string) => ({
  env: [{ name: "HF_HUB_OFFLINE", value }],
  args: ["--model", "org/m"],
});
const memory = { resources: { limits: { memory: "64Gi" } } };
const other = ["image"];
const hidden = ["visible-devices"];
const ports = ["--data-parallel-multi-port-external-lb", "--data-parallel-size", "8"];

const readOnly = { securityContext: { readOnlyRootFilesystem: true } };
const tier = ["kv-offload"];
const transfer = "--kv-transfer-config";
const offloading = (gibibytes: number) =>
  JSON.stringify({
    kv_connector: "OffloadingConnector",
    kv_role: "kv_both",
    kv_connector_extra_config: { cpu_bytes_to_use: gibibytes * 2 ** 30 },
  });
const several = (config: string) =>
  JSON.stringify({
    kv_connector: "MultiConnector",
    kv_role: "kv_both",
    kv_connector_extra_config: { connectors: [JSON.parse(config)] },
  });
const offloads = (...words: string[]) => ({
  ...args(...words),
  volumeMounts: [{ name: "shm", mountPath: "/dev/shm/" }],
});
const lmcache = args("--kv-offloading-size", "8", "--kv-offloading-backend", "lmcache");
const shared = (sizeLimit: string) => ({
  volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit } }],
});

describe("launchFaults", () => {
  it.each<[title: string, fields: object, pod: object, kinds: string[]]>([
    ["root", {}, asUser(0), []],
    ["another user", {}, asUser(1000), ["home"]],
    ["another user with a home", mounted, asUser(1000), []],
    [
      "another user with a home below a mount",
      { ...mounted, ...home("/home/engine/a") },
      asUser(1000),
      [],
    ],
    [
      "another user with a home next to a mount",
      { ...mounted, ...home("/home/engine2") },
      asUser(1000),
      ["home"],
    ],
    [
      "another user with a read-only home",
      { ...mounted, volumeMounts: [{ mountPath: "/home/engine", readOnly: true }] },
      asUser(1000),
      ["home"],
    ],
    ["another user with its home in /tmp", home("/tmp/home"), asUser(1000), []],
    [
      "a read-only file system with its home in /tmp",
      { ...home("/tmp"), ...readOnly },
      {},
      ["home", "temporary"],
    ],
    ["a read-only file system with a home", { ...mounted, ...readOnly }, {}, ["temporary"]],
    [
      "a read-only file system with a home and /tmp",
      { ...mounted, ...readOnly, volumeMounts: [...mounted.volumeMounts, { mountPath: "/tmp" }] },
      {},
      [],
    ],
    [
      "a read-only file system with temporary files in its home",
      {
        ...mounted,
        ...readOnly,
        env: [...mounted.env, { name: "TMPDIR", value: "/home/engine/tmp" }],
      },
      {},
      [],
    ],
    [
      "a read-only file system of another image",
      { ...readOnly, image: "example.com/vllm:v0.32.0" },
      {},
      ["temporary"],
    ],
    ["a CPU tier above /dev/shm", offloads("--kv-offloading-size", "8"), shared("4Gi"), tier],
    ["a CPU tier within /dev/shm", offloads("--kv-offloading-size", "8"), shared("10Gi"), []],
    ["a CPU tier without a volume", args("--kv-offloading-size", "8"), {}, tier],
    ["a CPU tier of another backend", lmcache, {}, []],
    ["a CPU tier of a connector", offloads(transfer, offloading(8)), shared("4Gi"), tier],
    ["a CPU tier of a small connector", offloads(transfer, offloading(2)), shared("4Gi"), []],
    [
      "a CPU tier of one of several connectors",
      offloads(transfer, several(offloading(8))),
      shared("4Gi"),
      tier,
    ],
    [
      "a CPU tier above the memory limit",
      {
        ...offloads("--kv-offloading-size", "8"),
        resources: { limits: { "nvidia.com/gpu": "1", memory: "8Gi" } },
      },
      shared("10Gi"),
      tier,
    ],
    [
      "a CPU tier of a release with private memory",
      { ...args("--kv-offloading-size", "8"), image: "vllm/vllm-openai:v0.15.0" },
      {},
      [],
    ],
    ["the user of vLLM's images", {}, asUser(2000, { runAsGroup: 0 }), []],
    [
      "the user of vLLM's images in another group",
      {},
      asUser(2000, { runAsGroup: 2000 }),
      ["home"],
    ],
    ["a container that overrides the pod", { securityContext: { runAsUser: 0 } }, asUser(1000), []],
    ["another user of another image", { image: "example.com/vllm:v0.32.0" }, asUser(1000), []],
    ["variables of a ConfigMap", { envFrom: [{ configMapRef: { name: "c" } }] }, asUser(1000), []],
    ["a time slice", limits("nvidia.com/gpu.shared"), {}, ["shared-device"]],
    [
      "a time slice with a fraction",
      { ...limits("nvidia.com/gpu.shared"), ...args("--gpu-memory-utilization", "0.4") },
      {},
      [],
    ],
    ["a virtual GPU", limits("nvidia.com/vgpu"), {}, ["shared-device"]],
    ["a virtual GPU with memory", limits("nvidia.com/vgpu", "nvidia.com/gpumem"), {}, []],
    ["a percentage of cores", limits("koordinator.sh/gpu-core"), {}, ["shared-device"]],
    [
      "a percentage of memory",
      limits("koordinator.sh/gpu-core", "koordinator.sh/gpu-memory-ratio"),
      {},
      [],
    ],
    ["whole GPUs", limits("nvidia.com/gpu"), {}, []],
    ["one MIG slice", limits("nvidia.com/mig-3g.40gb"), {}, []],
    [
      "MIG slices as ranks",
      { ...limits("nvidia.com/mig-3g.40gb"), ...args("-tp", "2") },
      {},
      ["slices"],
    ],
    [
      "MIG slices as stages",
      { ...limits("nvidia.com/mig-3g.40gb"), ...args("-pp", "2") },
      {},
      ["slices"],
    ],
    ["fewer visible devices than ranks", { ...shows("0"), ...args("-tp", "2") }, {}, hidden],
    ["no visible devices", { ...shows(""), ...limits("nvidia.com/gpu") }, {}, hidden],
    [
      "fewer visible devices than copies",
      { ...shows("0,1,2"), ...args("--data-parallel-size", "4") },
      {},
      hidden,
    ],
    [
      "fewer visible devices of AMD",
      { ...shows("0,1"), env: [{ name: "HIP_VISIBLE_DEVICES", value: "0" }], ...args("-tp", "2") },
      {},
      hidden,
    ],
    ["visible devices for all ranks", { ...shows("2,3"), ...args("-tp", "2") }, {}, []],
    [
      "visible devices of one pod of several",
      { ...shows("0,1"), ...limits("nvidia.com/gpu"), ...args("-tp", "4") },
      {},
      [],
    ],
    [
      "visible devices that a script sets",
      {
        command: ["sh", "-c", "CUDA_VISIBLE_DEVICES=0,1 vllm serve m -tp 2"],
        ...{ args: undefined, ...shows("0") },
      },
      {},
      [],
    ],
    [
      "vLLM for AMD on NVIDIA",
      { image: "rocm/vllm:v0.11.0", ...limits("nvidia.com/gpu") },
      {},
      other,
    ],
    [
      "vLLM's image for AMD on NVIDIA",
      { image: "vllm/vllm-openai-rocm:v0.32.0", ...limits("nvidia.com/mig-3g.40gb") },
      {},
      other,
    ],
    ["vLLM for NVIDIA on AMD", limits("amd.com/gpu"), {}, other],
    ["vLLM for NVIDIA on Gaudi", limits("habana.ai/gaudi"), {}, other],
    ["vLLM for NVIDIA on TPUs", limits("google.com/tpu"), {}, other],
    ["vLLM for NVIDIA on Neuron", limits("aws.amazon.com/neuroncore"), {}, other],
    [
      "vLLM for CPUs on NVIDIA",
      { image: "vllm/vllm-openai-cpu:v0.32.0", ...limits("nvidia.com/gpu") },
      {},
      other,
    ],
    [
      "SGLang for AMD on NVIDIA",
      { ...sglang("lmsysorg/sglang:v0.5.23-rocm700-mi30x"), ...limits("nvidia.com/gpu") },
      {},
      other,
    ],
    ["SGLang in vLLM's image", sglang("vllm/vllm-openai:v0.32.0"), {}, other],
    ["SGLang in its own image", sglang("docker.io/lmsysorg/sglang"), {}, []],
    ["SGLang for AMD on AMD", { ...sglang("rocm/sgl-dev:1"), ...limits("amd.com/gpu") }, {}, []],
    [
      "an image of another author",
      { image: "example.com/vllm:1", ...limits("amd.com/gpu") },
      {},
      [],
    ],
    ["an unknown resource", limits("example.com/gpu"), {}, []],
    ["the entrypoint in the arguments", { args: ["serve", "m"] }, {}, ["entrypoint"]],
    ["the program in the arguments", { args: ["vllm", "serve", "m"] }, {}, ["entrypoint"]],
    ["the program in the command", { command: ["vllm", "serve"], args: ["m"] }, {}, []],
    [
      "the program in the arguments of another image",
      { image: "example.com/vllm:1", args: ["vllm", "serve", "m"] },
      {},
      [],
    ],
    ["no download without a volume", isOffline("1"), {}, ["offline"]],
    ["downloads", isOffline("0"), {}, []],
    [
      "no download with a volume",
      { ...isOffline("1"), volumeMounts: [{ name: "c", mountPath: "/cache" }] },
      {},
      [],
    ],
    ["no download of a path", { ...isOffline("1"), args: ["--model", "/models/m"] }, {}, []],
    ["no download in another image", { ...isOffline("1"), image: "example.com/vllm:1" }, {}, []],
    ["ranks without devices", { ...args("-tp", "2"), ...memory }, {}, ["no-devices"]],
    [
      "ranks of CPUs",
      { ...args("-tp", "2"), ...memory, image: "vllm/vllm-openai-cpu:v0.32.0" },
      {},
      [],
    ],
    ["ranks with a runtime class", args("-tp", "2"), { runtimeClassName: "nvidia" }, []],
    [
      "ranks with a claim of devices",
      { ...args("-tp", "2"), resources: { claims: [{ name: "gpus" }] } },
      {},
      [],
    ],
    ["one rank without devices", memory, {}, []],
    ["ports of several ranks", args(...ports), {}, ["rank-ports"]],
    ["a port of one rank", args(ports[0] ?? ""), {}, []],
  ])("reads %s", (_, fields, pod, kinds) => {
    expect(faultsOf(fields, pod)).toEqual(kinds);
  });
});

const typed = (template: object | undefined, model: object = {}) => {
  const [workload] = planInferenceService({
    metadata: { name: "chat" },
    spec: {
      model: { name: "Qwen/Qwen3-8B", ...model },
      accelerator: "h100-sxm",
      roles: [{ name: "worker", componentType: "worker", ...(template && { template }) }],
    },
  } as never).filter(({ kind }) => kind === "LeaderWorkerSet") as never as [
    { spec: { leaderWorkerTemplate: { workerTemplate: { spec: Record<string, unknown[]> } } } },
  ];
  return workload.spec.leaderWorkerTemplate.workerTemplate.spec as never as {
    containers: Array<{ env?: Array<{ name: string; value: string }>; volumeMounts?: object[] }>;
    volumes?: object[];
  };
};

describe("the home of a typed model", () => {
  it("is not planned for root", () => {
    expect(typed(undefined)).not.toHaveProperty("volumes");
  });

  it.each([
    ["another user", { securityContext: { runAsNonRoot: true, runAsUser: 1000800000 } }],
    ["a user that the cluster chooses", { securityContext: { runAsNonRoot: true } }],
  ])("is an emptyDir for %s", (_, spec) => {
    const { containers, volumes } = typed({ spec });
    expect(volumes).toEqual([{ name: "home", emptyDir: {} }]);
    expect(containers[0]?.volumeMounts).toEqual([{ name: "home", mountPath: "/home/engine" }]);
    const values = Object.fromEntries(
      containers[0]?.env?.map(({ name, value }) => [name, value]) ?? [],
    );
    expect(values).toMatchObject({
      HOME: "/home/engine",
      HF_HOME: "/home/engine/.cache/huggingface",
      USER: "engine",
    });
  });

  it("has the volume for downloads, and /tmp with a read-only file system", () => {
    const container = { name: "vllm", securityContext: { readOnlyRootFilesystem: true } };
    const { containers } = typed(
      { spec: { containers: [container] } },
      { cache: { claim: "models" } },
    );
    expect(containers[0]?.volumeMounts).toEqual([
      { name: "model-cache", mountPath: "/home/engine/.cache/huggingface" },
      { name: "home", mountPath: "/home/engine" },
      { name: "home", mountPath: "/tmp", subPath: "tmp" },
    ]);
  });

  it("keeps the variables of the template", () => {
    const container = { name: "vllm", env: [{ name: "HOME", value: "/tmp" }] };
    const spec = { securityContext: { runAsUser: 5 }, containers: [container] };
    expect(typed({ spec })).not.toHaveProperty("volumes");
  });

  it("leaves malformed templates as they are", () => {
    for (const template of [undefined, null, 5, { spec: 4 }, { spec: { containers: [null] } }])
      expect(withWritableHome(template, "vllm")).toBe(template);
  });
});
