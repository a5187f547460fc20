import type { InferenceServiceArgs, PodTemplateArgs } from "pulumi-inference";

export const name = "qwen-inference-service";

/**
 * vLLM on one GPU. Prefillers and decoders hand over key-value blocks by NIXL: the decoder fetches them from the
 * address and port that the prefiller tells, so both have to be the pod's own. Who prefills is decided for each
 * request, so that both sides are told the same.
 */
const template: PodTemplateArgs = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.12.0",
        args: [
          "--model",
          "Qwen/Qwen3-8B",
          "--kv-transfer-config",
          JSON.stringify({ kv_connector: "NixlConnector", kv_role: "kv_both" }),
        ],
        env: [
          {
            name: "VLLM_NIXL_SIDE_CHANNEL_HOST",
            valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
          },
          { name: "VLLM_NIXL_SIDE_CHANNEL_PORT", value: "5600" },
        ],
        ports: [
          { name: "http", containerPort: 8000 },
          { name: "nixl", containerPort: 5600 },
        ],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      },
    ],
  },
};

export const args: InferenceServiceArgs = {
  roles: [
    { name: "prefill", componentType: "prefiller", replicas: 2, template },
    { name: "decode", componentType: "decoder", replicas: 4, template },
  ],
};
