/** Models with the architecture and sizes of another model, which their cards name as their base. */

import type { CatalogAlias } from "./entry.ts";

const fp8Blocks = { quant_method: "fp8", weight_block_size: [128, 128] };

/** Checkpoints of Qwen in 4 bits, with the sizes of the base model. */
const inFourBits = (base: string, suffix: "AWQ" | "GPTQ-Int4"): [string, CatalogAlias] => [
  `${base}-${suffix}`,
  {
    base,
    source: "the model's card: 4 bits in groups of 128",
    fields: {
      quantization_config: {
        ...{ quant_method: suffix === "AWQ" ? "awq" : "gptq", bits: 4, group_size: 128 },
      },
    },
  },
];

const qwen25 = ["0.5B", "1.5B", "3B", "7B", "14B", "32B"].map(
  (size) => `Qwen/Qwen2.5-${size}-Instruct`,
);
const qwen3 = ["4B", "8B", "14B", "32B"].map((size) => `Qwen/Qwen3-${size}`);

export const aliases: Readonly<Record<string, CatalogAlias>> = {
  ...Object.fromEntries([
    ...[...qwen25, ...qwen3].map((name) => inFourBits(name, "AWQ")),
    ...qwen25.map((name) => inFourBits(name, "GPTQ-Int4")),
  ]),
  "Qwen/QwQ-32B": {
    base: "Qwen/Qwen2.5-32B",
    source: "QwenLM/QwQ#26",
    fields: { max_position_embeddings: 40_960 },
  },
  "Qwen/Qwen2.5-72B-Instruct": {
    base: "Qwen/Qwen2.5-72B",
    source: "vllm-project/vllm#8691",
    fields: { max_position_embeddings: 32_768 },
  },
  "Qwen/Qwen3-Coder-30B-A3B-Instruct": {
    base: "Qwen/Qwen3-30B-A3B-Instruct-2507",
    source: "vllm-project/vllm#34076",
  },
  "Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8": {
    base: "Qwen/Qwen3-30B-A3B-Instruct-2507",
    source: "its card: blocks of 128",
    fields: { quantization_config: { quant_method: "fp8", weight_block_size: [128, 128] } },
  },
  "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8": {
    base: "Qwen/Qwen3-30B-A3B-Instruct-2507",
    source: "its card: blocks of 128",
    fields: { quantization_config: { quant_method: "fp8", weight_block_size: [128, 128] } },
  },
  "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8": {
    base: "Qwen/Qwen3-235B-A22B-Instruct-2507",
    source: "its card: blocks of 128",
    fields: { quantization_config: { quant_method: "fp8", weight_block_size: [128, 128] } },
  },
  "Qwen/Qwen3-235B-A22B-Thinking-2507-FP8": {
    base: "Qwen/Qwen3-235B-A22B-Instruct-2507",
    source: "its card: blocks of 128",
    fields: { quantization_config: { quant_method: "fp8", weight_block_size: [128, 128] } },
  },
  "zai-org/GLM-4.6": {
    base: "zai-org/GLM-4.5",
    source: "copies of its file in public code",
    fields: { max_position_embeddings: 202_752 },
  },
  "zai-org/GLM-4.7": {
    base: "zai-org/GLM-4.5",
    source: "copies of its file in public code",
    fields: { max_position_embeddings: 202_752 },
  },
  "mistralai/Mistral-Small-3.1-24B-Instruct-2503": {
    base: "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
  },
  "meta-llama/Llama-3.1-8B": { base: "meta-llama/Meta-Llama-3.1-8B", gated: true },
  "meta-llama/Llama-3.1-8B-Instruct": { base: "meta-llama/Meta-Llama-3.1-8B", gated: true },
  "meta-llama/Llama-3.1-70B-Instruct": { base: "meta-llama/Meta-Llama-3.1-70B", gated: true },
  "meta-llama/Llama-3.3-70B-Instruct": { base: "meta-llama/Meta-Llama-3.1-70B", gated: true },
  "meta-llama/Llama-3.1-405B-Instruct": { base: "meta-llama/Meta-Llama-3.1-405B", gated: true },
  "deepseek-ai/DeepSeek-R1-Distill-Llama-70B": { base: "meta-llama/Meta-Llama-3.1-70B" },
  "deepseek-ai/DeepSeek-R1-Distill-Llama-8B": { base: "meta-llama/Meta-Llama-3.1-8B" },
  "deepseek-ai/DeepSeek-R1-0528": { base: "deepseek-ai/DeepSeek-R1" },
  "deepseek-ai/DeepSeek-V3-0324": { base: "deepseek-ai/DeepSeek-V3" },
  "deepseek-ai/DeepSeek-V3.1": { base: "deepseek-ai/DeepSeek-V3" },
  "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B": { base: "Qwen/Qwen2.5-14B" },
  "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": { base: "Qwen/Qwen2.5-32B" },
  "mistralai/Mixtral-8x7B-Instruct-v0.1": { base: "mistralai/Mixtral-8x7B-v0.1" },
  "mistralai/Mixtral-8x22B-Instruct-v0.1": { base: "mistralai/Mixtral-8x22B-v0.1" },
  "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B": {
    base: "Qwen/Qwen2.5-1.5B-Instruct",
    fields: { tie_word_embeddings: false },
  },
  "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B": { base: "Qwen/Qwen2.5-7B" },
  "meta-llama/Meta-Llama-3-8B-Instruct": {
    base: "meta-llama/Meta-Llama-3.1-8B",
    source: "its card: a context of 8k",
    gated: true,
    fields: { max_position_embeddings: 8192, rope_scaling: null },
  },
  "Qwen/Qwen3-Next-80B-A3B-Instruct-FP8": {
    base: "Qwen/Qwen3-Next-80B-A3B-Instruct",
    fields: { quantization_config: fp8Blocks },
  },
  "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8": {
    base: "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    fields: { quantization_config: fp8Blocks },
  },
  "OpenGVLab/InternVL3-78B-AWQ": {
    base: "Qwen/Qwen2.5-72B",
    source: "vllm-project/vllm#21695, for the width and the groups",
    fields: { quantization_config: { quant_method: "awq", bits: 4, group_size: 128 } },
  },
  "Qwen/Qwen2.5-VL-3B-Instruct": {
    base: "Qwen/Qwen2.5-VL-7B-Instruct",
    source: "a public copy of its config.json in a page of model configurations",
    fields: {
      hidden_size: 2048,
      num_hidden_layers: 36,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      intermediate_size: 11_008,
      vocab_size: 151_936,
      tie_word_embeddings: true,
    },
  },
  "nvidia/DeepSeek-V3-0324-FP4": { base: "nvidia/DeepSeek-V3.1-NVFP4" },
  "BatsResearch/bonito-v1": { base: "mistralai/Mistral-7B-Instruct-v0.2" },
  "BAAI/bge-m3": {
    base: "BAAI/bge-reranker-v2-m3",
    fields: { architectures: ["XLMRobertaModel"] },
  },
};
