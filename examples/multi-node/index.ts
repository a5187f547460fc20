import { InferenceService } from "pulumi-inference";

const service = new InferenceService("deepseek-r1-inference", {
  roles: [
    {
      name: "inference",
      componentType: "worker",
      replicas: 2,
      multinode: { nodeCount: 4 },
      template: {
        spec: {
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai:v0.11.0",
              args: ["--model", "deepseek-ai/DeepSeek-R1", "--tensor-parallel-size", "32"],
              ports: [{ containerPort: 8000, name: "http" }],
              resources: { limits: { "nvidia.com/gpu": "8" } },
            },
          ],
        },
      },
    },
  ],
});

export const components = service.components;
