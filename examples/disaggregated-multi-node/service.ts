import type { InferenceServiceArgs, PodTemplateArgs } from "pulumi-inference";

export const name = "deepseek-r1-disagg";

/**
 * vLLM on 8 GPUs per node. Prefillers and decoders hand over key-value blocks by NIXL, from every node of one to every
 * node of the other; the leader tells where. vLLM does so over several nodes since v0.12.0.
 */
const vllm = (tensorParallelSize: number): PodTemplateArgs => ({
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.12.0",
        args: [
          "--model",
          "deepseek-ai/DeepSeek-R1",
          "--tensor-parallel-size",
          String(tensorParallelSize),
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
        resources: { limits: { "nvidia.com/gpu": "8" } },
        volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
      },
    ],
    volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "16Gi" } }],
  },
});

export const args: InferenceServiceArgs = {
  roles: [
    {
      name: "prefill",
      componentType: "prefiller",
      replicas: 1,
      multinode: { nodeCount: 2 },
      template: vllm(16),
    },
    {
      name: "decode",
      componentType: "decoder",
      replicas: 2,
      multinode: { nodeCount: 4 },
      template: vllm(32),
    },
  ],
};
