/** Qwen 3: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";

const fp8Blocks = { quant_method: "fp8", weight_block_size: [128, 128], ignore: ["lm_head"] };

const fp8BlocksToo = { quant_method: "fp8", weight_block_size: [128, 128] };

const qwen3 = { architectures: ["Qwen3ForCausalLM"], model_type: "qwen3", num_key_value_heads: 8, head_dim: 128, vocab_size: 151_936, max_position_embeddings: 40_960, torch_dtype: "bfloat16" };

const qwen3Moe = { architectures: ["Qwen3MoeForCausalLM"], model_type: "qwen3_moe", head_dim: 128, vocab_size: 151_936, tie_word_embeddings: false, torch_dtype: "bfloat16", num_experts_per_tok: 8 };

const qwen3Next = { architectures: ["Qwen3NextForCausalLM"], model_type: "qwen3_next", hidden_size: 2048, num_hidden_layers: 48, num_attention_heads: 16, num_key_value_heads: 2, head_dim: 256, intermediate_size: 5120, vocab_size: 151_936, tie_word_embeddings: false, max_position_embeddings: 262_144, torch_dtype: "bfloat16", num_experts: 512, shared_expert_intermediate_size: 512, moe_intermediate_size: 512, num_experts_per_tok: 10, full_attention_interval: 4, linear_num_key_heads: 16, linear_num_value_heads: 32, linear_key_head_dim: 128, linear_value_head_dim: 128, linear_conv_kernel_dim: 4 };

export const qwen3Models: Readonly<Record<string, CatalogEntry>> = {
"Qwen/Qwen3-0.6B": { source: "aiconfigurator", config: { ...qwen3, hidden_size: 1024, num_hidden_layers: 28, num_attention_heads: 16, intermediate_size: 3072, tie_word_embeddings: true } },
"Qwen/Qwen3-1.7B": { source: "aiconfigurator", config: { ...qwen3, hidden_size: 2048, num_hidden_layers: 28, num_attention_heads: 16, intermediate_size: 6144, tie_word_embeddings: true } },
"Qwen/Qwen3-32B-FP8-Static-PerTensor": { source: "aiconfigurator", config: { ...qwen3, hidden_size: 5120, num_hidden_layers: 64, num_attention_heads: 64, intermediate_size: 25_600, tie_word_embeddings: false, quantization_config: { quant_algo: "FP8", ignore: ["lm_head"] } } },
"Qwen/Qwen3-32B-FP8": { source: "aiconfigurator", config: { ...qwen3, hidden_size: 5120, num_hidden_layers: 64, num_attention_heads: 64, intermediate_size: 25_600, tie_word_embeddings: false, quantization_config: fp8BlocksToo } },
"Qwen/Qwen3-32B": { source: "aiconfigurator", config: { ...qwen3, hidden_size: 5120, num_hidden_layers: 64, num_attention_heads: 64, intermediate_size: 25_600, tie_word_embeddings: false } },
"Qwen/Qwen3-8B": { source: "aiconfigurator", config: { ...qwen3, hidden_size: 4096, num_hidden_layers: 36, num_attention_heads: 32, intermediate_size: 12_288, tie_word_embeddings: false } },
"Qwen/Qwen3-14B": { source: "maxtext", config: { ...qwen3, hidden_size: 5120, num_hidden_layers: 40, num_attention_heads: 40, intermediate_size: 17_408, tie_word_embeddings: false } },
"Qwen/Qwen3-4B": { source: "ome", config: { ...qwen3, hidden_size: 2560, num_hidden_layers: 36, num_attention_heads: 32, intermediate_size: 9728, tie_word_embeddings: true } },
"Qwen/Qwen3-8B-FP8": { source: "ome", config: { ...qwen3, hidden_size: 4096, num_hidden_layers: 36, num_attention_heads: 32, intermediate_size: 12_288, tie_word_embeddings: false, quantization_config: fp8BlocksToo } },
"Qwen/Qwen3-235B-A22B-FP8": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 4096, num_hidden_layers: 94, num_attention_heads: 64, num_key_value_heads: 4, intermediate_size: 12_288, max_position_embeddings: 40_960, num_experts: 128, moe_intermediate_size: 1536, quantization_config: fp8Blocks } },
"Qwen/Qwen3-235B-A22B": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 4096, num_hidden_layers: 94, num_attention_heads: 64, num_key_value_heads: 4, intermediate_size: 12_288, max_position_embeddings: 40_960, num_experts: 128, moe_intermediate_size: 1536 } },
"Qwen/Qwen3-30B-A3B-FP8": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 2048, num_hidden_layers: 48, num_attention_heads: 32, num_key_value_heads: 4, intermediate_size: 6144, max_position_embeddings: 40_960, num_experts: 128, moe_intermediate_size: 768, quantization_config: fp8Blocks } },
"Qwen/Qwen3-30B-A3B": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 2048, num_hidden_layers: 48, num_attention_heads: 32, num_key_value_heads: 4, intermediate_size: 6144, max_position_embeddings: 40_960, num_experts: 128, moe_intermediate_size: 768 } },
"Qwen/Qwen3-Coder-480B-A35B-Instruct": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 6144, num_hidden_layers: 62, num_attention_heads: 96, num_key_value_heads: 8, intermediate_size: 8192, max_position_embeddings: 262_144, num_experts: 160, moe_intermediate_size: 2560 } },
"nvidia/Qwen3-235B-A22B-NVFP4": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 4096, num_hidden_layers: 94, num_attention_heads: 64, num_key_value_heads: 4, intermediate_size: 12_288, max_position_embeddings: 40_960, num_experts: 128, moe_intermediate_size: 1536, quantization_config: { quant_algo: "NVFP4", group_size: 16, ignore: ["lm_head"] } } },
"Qwen/Qwen3-30B-A3B-Thinking-2507": { source: "maxtext", config: { ...qwen3Moe, hidden_size: 2048, num_hidden_layers: 48, num_attention_heads: 32, num_key_value_heads: 4, intermediate_size: 6144, max_position_embeddings: 262_144, num_experts: 128, moe_intermediate_size: 768 } },
"Qwen/Qwen3-30B-A3B-Instruct-2507": { source: "maxtext", config: { ...qwen3Moe, hidden_size: 2048, num_hidden_layers: 48, num_attention_heads: 32, num_key_value_heads: 4, intermediate_size: 6144, max_position_embeddings: 262_144, num_experts: 128, moe_intermediate_size: 768 } },
"Qwen/Qwen3-235B-A22B-Thinking-2507": { source: "maxtext", config: { ...qwen3Moe, hidden_size: 4096, num_hidden_layers: 94, num_attention_heads: 64, num_key_value_heads: 4, intermediate_size: 12_288, max_position_embeddings: 262_144, num_experts: 128, moe_intermediate_size: 1536 } },
"Qwen/Qwen3-235B-A22B-Instruct-2507": { source: "maxtext", config: { ...qwen3Moe, hidden_size: 4096, num_hidden_layers: 94, num_attention_heads: 64, num_key_value_heads: 4, intermediate_size: 12_288, max_position_embeddings: 262_144, num_experts: 128, moe_intermediate_size: 1536 } },
"Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8": { source: "aiconfigurator", config: { ...qwen3Moe, hidden_size: 6144, num_hidden_layers: 62, num_attention_heads: 96, num_key_value_heads: 8, intermediate_size: 8192, max_position_embeddings: 262_144, num_experts: 160, moe_intermediate_size: 2560, quantization_config: fp8BlocksToo } },
"Qwen/Qwen3-Next-80B-A3B-Instruct": { source: "maxtext", config: { ...qwen3Next,  } },
"Qwen/Qwen3-Next-80B-A3B-Thinking": { source: "maxtext", config: { ...qwen3Next,  } },
};
