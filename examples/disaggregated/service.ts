import type { InferenceServiceArgs, PodTemplateArgs } from "pulumi-inference";

export const name = "qwen-inference-service";

/**
 * vLLM on one GPU, the same for both sides. The plan adds what a pair needs: the transfer of key-value blocks by NIXL, its
 * variables, and the decoders' sidecar, which has prompts computed by the prefiller that the router chose.
 */
const template: PodTemplateArgs = {
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
};

export const args: InferenceServiceArgs = {
  roles: [
    { name: "prefill", componentType: "prefiller", replicas: 2, template },
    { name: "decode", componentType: "decoder", replicas: 4, template },
    {
      name: "router",
      componentType: "router",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    },
  ],
};
