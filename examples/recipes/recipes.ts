import {
  decoder,
  huggingFace,
  type InferenceServiceArgs,
  prefiller,
  router,
  sglang,
  tensorRtLlm,
  vllm,
  worker,
} from "pulumi-inference";

/** The Secret with a Hugging Face token, for models that require a license agreement. */
const gated = { token: "hf-token" };

const route = { httproute: { parentRefs: [{ name: "inference-gateway" }] } };
const roles: InferenceServiceArgs["roles"] = [worker(), router(route)];

/** Arguments of one InferenceService per recipe. The plan computes sizes that a recipe does not set. */
export const recipes = {
  // Small models, one device each.
  "qwen3-8b-l40s": { model: huggingFace("Qwen/Qwen3-8B"), accelerator: "l40s", roles },
  "qwen3-4b-l4": {
    model: huggingFace("Qwen/Qwen3-4B"),
    accelerator: "l4",
    engine: vllm({ maxModelLen: 16_384 }),
    roles,
  },
  "phi-4-a10g": {
    model: huggingFace("microsoft/phi-4"),
    accelerator: "a10g",
    engine: vllm({ quantization: "fp8", kvCacheDtype: "auto", tensorParallel: 2 }),
    roles,
  },
  "llama-3.1-8b-mig": {
    model: huggingFace("meta-llama/Llama-3.1-8B-Instruct", gated),
    accelerator: "h100-sxm-3g.40gb",
    engine: vllm({ maxModelLen: 32_768 }),
    roles,
  },
  "gpt-oss-20b-h100": { model: huggingFace("openai/gpt-oss-20b"), accelerator: "h100-sxm", roles },
  "qwen2.5-0.5b-cpu": {
    model: huggingFace("Qwen/Qwen2.5-0.5B-Instruct"),
    accelerator: "cpu",
    engine: vllm({ maxModelLen: 4_096 }),
    roles,
  },

  // Models that need several devices of a node.
  "qwen3-32b-h100": {
    model: huggingFace("Qwen/Qwen3-32B"),
    accelerator: "h100-sxm",
    engine: vllm({ maxModelLen: 32_768 }),
    roles,
  },
  "qwen3-32b-mi300x": {
    model: huggingFace("Qwen/Qwen3-32B"),
    accelerator: "mi300x",
    engine: vllm({ maxModelLen: 32_768 }),
    roles,
  },
  "llama-3.3-70b-h100": {
    model: huggingFace("meta-llama/Llama-3.3-70B-Instruct", gated),
    accelerator: "h100-sxm",
    engine: vllm({ maxModelLen: 65_536 }),
    roles,
  },
  "gemma-3-27b-h100": {
    model: huggingFace("google/gemma-3-27b-it", gated),
    accelerator: "h100-sxm",
    engine: vllm({ maxModelLen: 32_768 }),
    roles,
  },
  "mistral-small-3.2-a100": {
    model: huggingFace("mistralai/Mistral-Small-3.2-24B-Instruct-2506"),
    accelerator: "a100-sxm-80gb",
    engine: vllm({ maxModelLen: 65_536 }),
    roles,
  },
  "gpt-oss-120b-h100": {
    model: huggingFace("openai/gpt-oss-120b"),
    accelerator: "h100-sxm",
    engine: vllm({ tensorParallel: 2 }),
    roles,
  },
  "glm-4.5-air-h200": {
    model: huggingFace("zai-org/GLM-4.5-Air"),
    accelerator: "h200-sxm",
    engine: vllm({ maxModelLen: 65_536 }),
    roles,
  },
  "qwen3-next-80b-h200": {
    model: huggingFace("Qwen/Qwen3-Next-80B-A3B-Instruct"),
    accelerator: "h200-sxm",
    engine: vllm({ maxModelLen: 131_072 }),
    roles,
  },

  // Mixtures of experts. If FP8 blocks do not divide the columns of an expert, each expert stays on one device.
  "qwen3-235b-fp8-h200": {
    model: huggingFace("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8"),
    accelerator: "h200-sxm",
    engine: vllm({ maxModelLen: 131_072 }),
    roles,
  },
  "qwen3-coder-480b-fp8-h200": {
    model: huggingFace("Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8"),
    accelerator: "h200-sxm",
    engine: vllm({ maxModelLen: 131_072 }),
    roles,
  },
  "llama-4-maverick-fp8-h200": {
    model: huggingFace("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", gated),
    accelerator: "h200-sxm",
    engine: vllm({ maxModelLen: 131_072 }),
    roles,
  },
  "minimax-m2.5-h100": {
    model: huggingFace("MiniMaxAI/MiniMax-M2.5"),
    accelerator: "h100-sxm",
    engine: vllm({ maxModelLen: 65_536 }),
    roles,
  },
  "deepseek-r1-h200": {
    model: huggingFace("deepseek-ai/DeepSeek-R1-0528"),
    accelerator: "h200-sxm",
    engine: vllm({ speculative: { method: "mtp", tokens: 1 }, maxModelLen: 65_536 }),
    roles,
  },
  "deepseek-v3.1-sglang-h200": {
    model: huggingFace("deepseek-ai/DeepSeek-V3.1"),
    accelerator: "h200-sxm",
    engine: sglang({ tensorParallel: 8, maxModelLen: 65_536 }),
    roles,
  },

  // Groups of nodes.
  "deepseek-r1-two-nodes-h100": {
    model: huggingFace("deepseek-ai/DeepSeek-R1-0528"),
    accelerator: "h100-sxm",
    roles,
  },
  "kimi-k2-two-nodes-h200": {
    model: huggingFace("moonshotai/Kimi-K2-Instruct"),
    accelerator: "h200-sxm",
    engine: vllm({ maxModelLen: 65_536 }),
    roles,
  },
  "deepseek-v3.1-wide-expert-parallel": {
    model: huggingFace("deepseek-ai/DeepSeek-V3.1"),
    accelerator: "h200-sxm",
    engine: vllm({
      dataParallel: 16,
      tensorParallel: 1,
      expertParallel: true,
      maxModelLen: 32_768,
    }),
    roles,
  },

  // Prefill and decode, adapters, offload, speculation.
  "llama-3.3-70b-prefill-decode": {
    model: huggingFace("meta-llama/Llama-3.3-70B-Instruct", gated),
    accelerator: "h200-sxm",
    engine: vllm({ tensorParallel: 2 }),
    roles: [prefiller({ replicas: 2 }), decoder({ replicas: 2 }), router(route)],
  },
  "llama-3.1-8b-adapters": {
    model: huggingFace("meta-llama/Llama-3.1-8B-Instruct", gated),
    accelerator: "l40s",
    engine: vllm({
      maxModelLen: 16_384,
      lora: { adapters: [{ name: "sql", source: "team/llama-3.1-8b-sql" }], maxRank: 32 },
    }),
    roles: [worker(), router({ strategy: "lora-affinity", ...route })],
  },
  "qwen3-32b-kv-offload": {
    model: huggingFace("Qwen/Qwen3-32B"),
    accelerator: "h100-sxm",
    engine: vllm({ tensorParallel: 2, kvOffload: { cpu: "128Gi" } }),
    roles,
  },
  "qwen3-32b-tensorrt-llm": {
    model: huggingFace("Qwen/Qwen3-32B-FP8"),
    accelerator: "h100-sxm",
    engine: tensorRtLlm({ maxModelLen: 32_768 }),
    roles,
  },

  // Embeddings and ranking.
  "qwen3-embedding-8b": {
    model: huggingFace("Qwen/Qwen3-Embedding-8B"),
    accelerator: "l40s",
    roles,
  },
  "bge-reranker-v2-m3": {
    model: huggingFace("BAAI/bge-reranker-v2-m3"),
    accelerator: "l4",
    roles,
  },
} satisfies Record<string, InferenceServiceArgs>;
