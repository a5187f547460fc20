import { huggingFace, type InferenceServiceArgs, router, vllm, worker } from "pulumi-inference";

export const name = "qwen-adapters";

/** Adapters of one base model: name, as the engine knows it, to folder. */
const adapters = { sql: "/adapters/sql", support: "/adapters/support" };

/** The folders of the adapters, on a claim. The plan writes the rest of the pod. */
const adapterFiles = {
  containers: [
    {
      name: "vllm",
      volumeMounts: [{ name: "adapters", mountPath: "/adapters", readOnly: true }],
    },
  ],
  volumes: [{ name: "adapters", persistentVolumeClaim: { claimName: "adapters", readOnly: true } }],
};

export const args: InferenceServiceArgs = {
  model: huggingFace("Qwen/Qwen3-8B"),
  accelerator: "h100-sxm",
  engine: vllm({
    lora: {
      maxRank: 32,
      adapters: Object.entries(adapters).map(([name, source]) => ({ name, source })),
    },
  }),
  roles: [
    worker({ name: "inference", replicas: 2, template: { spec: adapterFiles } }),
    router({
      // Requests for an adapter go to a pod that has it loaded.
      strategy: "lora-affinity",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    }),
  ],
  models: [
    { name: "Qwen/Qwen3-8B", objective: {} },
    ...Object.keys(adapters).map((adapter) => ({ name: adapter, objective: {} })),
  ],
};
