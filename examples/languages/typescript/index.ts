import {
  decoder,
  huggingFace,
  InferenceRoute,
  InferenceService,
  LLMServerPool,
  LLMService,
  prefiller,
  router,
  vllm,
  worker,
} from "pulumi-inference";

// A small model on CPUs behind its own gateway.
const quickstart = new InferenceService("quickstart", {
  model: huggingFace("Qwen/Qwen2.5-0.5B-Instruct"),
  accelerator: "cpu",
  engine: vllm({ maxModelLen: 4_096 }),
  roles: [
    worker({ name: "inference" }),
    router({
      gateway: {
        gatewayClassName: "agentgateway",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    }),
  ],
});

// A model that needs four nodes of eight GPUs.
new InferenceService("deepseek", {
  model: huggingFace("deepseek-ai/DeepSeek-R1"),
  accelerator: "h100-sxm",
  roles: [worker({ name: "inference", replicas: 2, multinode: { nodeCount: 4 } })],
});

// Prompts and tokens on different pods.
new InferenceService("qwen", {
  model: huggingFace("Qwen/Qwen3-8B"),
  accelerator: "h100-sxm",
  roles: [
    prefiller({ name: "prefill", replicas: 2 }),
    decoder({ name: "decode", replicas: 4 }),
    router({ httproute: { parentRefs: [{ name: "inference-gateway" }] } }),
  ],
});

// Existing pods that several teams share.
const pool = new LLMServerPool("shared", {
  modelServerSelector: { app: "qwen" },
  fairness: { weights: { "default/batch": 1 } },
});
const poolRef = [{ name: pool.poolName }];
const targetModels = [{ name: "Qwen/Qwen3-8B" }];
new LLMService("search", { share: 5, models: [{ name: "search", targetModels }], poolRef });
new LLMService("batch", { models: [{ name: "batch", targetModels }], poolRef });
new InferenceRoute("shared", {
  parentRefs: [{ name: "inference-gateway" }],
  rules: [{ pools: [{ name: pool.poolName }] }],
});

export const url = quickstart.url;
export const urlStatus = quickstart.urlStatus;
