import { huggingFace, type InferenceServiceArgs, router, vllm, worker } from "pulumi-inference";

export const name = "qwen-adapters";

/** Folders of the adapters, by the model name in the engine. */
const adapters = { sql: "/adapters/sql", support: "/adapters/support" };

/** Mounts the claim with the adapters. The plan writes all other fields of the pod. */
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
      // The picker prefers pods that have loaded the requested adapter.
      strategy: "lora-affinity",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    }),
  ],
  models: [
    { name: "Qwen/Qwen3-8B", objective: {} },
    ...Object.keys(adapters).map((adapter) => ({ name: adapter, objective: {} })),
  ],
};
