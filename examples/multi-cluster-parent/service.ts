import type { InferenceServiceArgs } from "pulumi-inference";

/** What runs in both clusters. */
export const roles: InferenceServiceArgs["roles"] = [
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
            args: ["--model", "Qwen/Qwen3-8B"],
            ports: [{ containerPort: 8000, name: "http" }],
            resources: { limits: { "nvidia.com/gpu": "1" } },
          },
        ],
      },
    },
  },
];
