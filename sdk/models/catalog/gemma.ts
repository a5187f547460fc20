/** Gemma: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";
import { cycle } from "./patterns.ts";

const gemma4Text = { architectures: ["Gemma4ForConditionalGeneration"], model_type: "gemma4_text", head_dim: 256, vocab_size: 262_144, tie_word_embeddings: true, max_position_embeddings: 262_144, dtype: "bfloat16", sliding_window: 1024, attention_k_eq_v: true, global_head_dim: 512, vision_config: { hidden_size: 1152, num_hidden_layers: 27, intermediate_size: 4304, model_type: "gemma4_vision", patch_size: 16 } };

const gemma3Text = { architectures: ["Gemma3ForConditionalGeneration"], model_type: "gemma3_text", vocab_size: 262_144, max_position_embeddings: 131_072, torch_dtype: "bfloat16", sliding_window: 1024, sliding_window_pattern: 6, rope_scaling: { rope_type: "linear", factor: 8 }, vision_config: { hidden_size: 1152, num_hidden_layers: 27, intermediate_size: 4304, model_type: "siglip_vision_model", patch_size: 14 } };

const gemma2 = { architectures: ["Gemma2ForCausalLM"], model_type: "gemma2", vocab_size: 256_000, max_position_embeddings: 8192, sliding_window: 4096 };

export const gemmaModels: Readonly<Record<string, CatalogEntry>> = {
"google/gemma-4-26B-A4B": { source: "aiconfigurator", config: { ...gemma4Text, hidden_size: 2816, num_hidden_layers: 30, num_attention_heads: 16, num_key_value_heads: 8, intermediate_size: 2112, num_experts: 128, moe_intermediate_size: 704, top_k_experts: 8, layer_types: cycle(30, ["sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]), enable_moe_block: true, num_global_key_value_heads: 2 } },
"nvidia/Gemma-4-31B-IT-NVFP4": { source: "aiconfigurator", config: { ...gemma4Text, hidden_size: 5376, num_hidden_layers: 60, num_attention_heads: 32, num_key_value_heads: 16, intermediate_size: 21_504, layer_types: cycle(60, ["sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]), num_global_key_value_heads: 4, quantization_config: { quant_method: "modelopt", quant_algo: "NVFP4", ignore: ["lm_head", "model.language_model.layers.*.self_attn*"] } } },
"google/gemma-4-31B-it": { source: "maxtext", config: { ...gemma4Text, hidden_size: 5376, num_hidden_layers: 60, num_attention_heads: 32, num_key_value_heads: 16, intermediate_size: 21_504, moe_intermediate_size: 704, layer_types: cycle(60, ["sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]), num_global_key_value_heads: 4 } },
"google/gemma-3-4b-it": { source: "maxtext", gated: true, config: { ...gemma3Text, hidden_size: 2560, num_hidden_layers: 34, num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256, intermediate_size: 10_240 } },
"google/gemma-3-12b-it": { source: "maxtext", gated: true, config: { ...gemma3Text, hidden_size: 3840, num_hidden_layers: 48, num_attention_heads: 16, num_key_value_heads: 8, head_dim: 256, intermediate_size: 15_360 } },
"google/gemma-3-27b-it": { source: "maxtext", gated: true, config: { ...gemma3Text, hidden_size: 5376, num_hidden_layers: 62, num_attention_heads: 32, num_key_value_heads: 16, head_dim: 128, intermediate_size: 21_504 } },
"google/gemma-2-2b-it": { source: "ome", gated: true, config: { ...gemma2, hidden_size: 2304, num_hidden_layers: 26, num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256, intermediate_size: 9216, torch_dtype: "bfloat16" } },
"google/gemma-2-9b": { source: "ome", gated: true, config: { ...gemma2, hidden_size: 3584, num_hidden_layers: 42, num_attention_heads: 16, num_key_value_heads: 8, head_dim: 256, intermediate_size: 14_336, torch_dtype: "float32" } },
"google/gemma-2-27b-it": { source: "mlc", gated: true, config: { ...gemma2, hidden_size: 4608, num_hidden_layers: 46, num_attention_heads: 32, num_key_value_heads: 16, head_dim: 128, intermediate_size: 36_864, torch_dtype: "bfloat16" } },
"google/gemma-3-1b-it": { source: "ome", gated: true, config: { architectures: ["Gemma3ForCausalLM"], model_type: "gemma3_text", hidden_size: 1152, num_hidden_layers: 26, num_attention_heads: 4, num_key_value_heads: 1, head_dim: 256, intermediate_size: 6912, vocab_size: 262_144, max_position_embeddings: 32_768, torch_dtype: "bfloat16", sliding_window: 512, sliding_window_pattern: 6 } },
};
