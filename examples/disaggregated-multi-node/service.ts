import type { InferenceServiceArgs, PodTemplateArgs } from "pulumi-inference";

export const name = "deepseek-r1-disagg";

/**
 * vLLM over two nodes of 8 GPUs, the same for both sides. A decoder fetches key-value blocks from every rank of its prefiller
 * and cannot fetch them into pipeline stages, so both sides have 16 tensor parallel ranks and no stages.
 */
const template: PodTemplateArgs = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        args: [...["--model", "deepseek-ai/DeepSeek-R1"], ...["--tensor-parallel-size", "16"]],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": "8" } },
        volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
      },
    ],
    volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "16Gi" } }],
  },
};

const multinode = { nodeCount: 2 };

export const args: InferenceServiceArgs = {
  roles: [
    { name: "prefill", componentType: "prefiller", replicas: 1, multinode, template },
    { name: "decode", componentType: "decoder", replicas: 2, multinode, template },
    {
      name: "router",
      componentType: "router",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    },
  ],
};
