import type { InferenceServiceArgs } from "pulumi-inference";

export const name = "deepseek-r1-inference";

/**
 * vLLM over four nodes of 8 GPUs: each node holds a quarter of the layers, each of its GPUs an eighth of every layer. 32 tensor
 * parallel ranks would not load: they leave 64 columns of each expert, half of one of the model's FP8 blocks.
 */
export const args: InferenceServiceArgs = {
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
              image: "vllm/vllm-openai:v0.32.0",
              args: [
                ...["--model", "deepseek-ai/DeepSeek-R1"],
                ...["--tensor-parallel-size", "8"],
                ...["--pipeline-parallel-size", "4"],
              ],
              ports: [{ name: "http", containerPort: 8000 }],
              resources: { limits: { "nvidia.com/gpu": "8" } },
              // The ranks of a node exchange tensors there; container runtimes give 64 MiB.
              volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
            },
          ],
          volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "16Gi" } }],
        },
      },
    },
  ],
};
