import { InferenceService } from "pulumi-inference";

/** vLLM on 8 GPUs a node, in one half of the key-value cache transfer. */
const vllm = (kvRole: "kv_producer" | "kv_consumer", tensorParallelSize: number) => ({
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        args: [
          "--model",
          "deepseek-ai/DeepSeek-R1",
          "--tensor-parallel-size",
          String(tensorParallelSize),
          "--kv-transfer-config",
          JSON.stringify({ kv_connector: "PyNcclConnector", kv_role: kvRole }),
        ],
        ports: [{ containerPort: 8000, name: "http" }],
        resources: { limits: { "nvidia.com/gpu": "8" } },
      },
    ],
  },
});

const service = new InferenceService("deepseek-r1-disagg", {
  roles: [
    {
      name: "prefill",
      componentType: "prefiller",
      replicas: 1,
      multinode: { nodeCount: 2 },
      template: vllm("kv_producer", 16),
    },
    {
      name: "decode",
      componentType: "decoder",
      replicas: 2,
      multinode: { nodeCount: 4 },
      template: vllm("kv_consumer", 32),
    },
  ],
});

export const components = service.components;
