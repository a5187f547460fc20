import type { InferenceServiceArgs } from "pulumi-inference";

export const name = "qwen-inference";

/** vLLM on one GPU. */
export const args: InferenceServiceArgs = {
  roles: [
    {
      name: "inference",
      componentType: "worker",
      replicas: 1,
      template: {
        spec: {
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai:v0.32.0",
              args: ["--model", "Qwen/Qwen3-8B"],
              ports: [{ name: "http", containerPort: 8000 }],
              resources: { limits: { "nvidia.com/gpu": "1" } },
            },
          ],
        },
      },
    },
  ],
};
