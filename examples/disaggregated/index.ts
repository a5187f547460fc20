import { InferenceService } from "pulumi-inference";

/** vLLM on one GPU, in one half of the key-value cache transfer. */
const vllm = (kvRole: "kv_producer" | "kv_consumer") => ({
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        args: [
          "--model",
          "Qwen/Qwen3-8B",
          "--kv-transfer-config",
          JSON.stringify({ kv_connector: "PyNcclConnector", kv_role: kvRole }),
        ],
        ports: [{ containerPort: 8000, name: "http" }],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      },
    ],
  },
});

const service = new InferenceService("qwen-inference-service", {
  roles: [
    { name: "prefill", componentType: "prefiller", replicas: 2, template: vllm("kv_producer") },
    { name: "decode", componentType: "decoder", replicas: 4, template: vllm("kv_consumer") },
  ],
});

export const components = service.components;
