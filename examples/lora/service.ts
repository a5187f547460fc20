import type { InferenceServiceArgs } from "pulumi-inference";

export const name = "qwen-adapters";

/** Adapters of one base model: name, as the engine knows it, to folder. */
const adapters = { sql: "/adapters/sql", support: "/adapters/support" };

export const args: InferenceServiceArgs = {
  roles: [
    {
      name: "inference",
      componentType: "worker",
      replicas: 2,
      template: {
        spec: {
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai:v0.32.0",
              args: [
                "--model",
                "Qwen/Qwen3-8B",
                "--enable-lora",
                "--max-loras",
                "2",
                "--max-lora-rank",
                "32",
                "--lora-modules",
                ...Object.entries(adapters).map(([adapter, path]) => `${adapter}=${path}`),
              ],
              ports: [{ name: "http", containerPort: 8000 }],
              resources: { limits: { "nvidia.com/gpu": "1" } },
              volumeMounts: [{ name: "adapters", mountPath: "/adapters", readOnly: true }],
            },
          ],
          volumes: [
            { name: "adapters", persistentVolumeClaim: { claimName: "adapters", readOnly: true } },
          ],
        },
      },
    },
    {
      name: "router",
      componentType: "router",
      // Requests for an adapter go to a pod that has it loaded.
      strategy: "lora-affinity",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    },
  ],
  models: [
    { name: "Qwen/Qwen3-8B", objective: {} },
    ...Object.keys(adapters).map((adapter) => ({ name: adapter, objective: {} })),
  ],
};
