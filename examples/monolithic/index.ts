import { InferenceService } from "pulumi-inference";

const service = new InferenceService("qwen-inference", {
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
              image: "vllm/vllm-openai:v0.11.0",
              args: ["--model", "Qwen/Qwen3-8B"],
              ports: [{ containerPort: 8000, name: "http" }],
              resources: { limits: { "nvidia.com/gpu": "1" } },
            },
          ],
        },
      },
    },
  ],
});

export const components = service.components;
