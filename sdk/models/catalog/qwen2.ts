/** Qwen 2 and 2.5: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";

const qwen2 = { architectures: ["Qwen2ForCausalLM"], model_type: "qwen2", torch_dtype: "bfloat16" };

export const qwen2Models: Readonly<Record<string, CatalogEntry>> = {
"Qwen/Qwen2.5-14B-Instruct": { source: "maxtext", config: { ...qwen2, hidden_size: 5120, num_hidden_layers: 48, num_attention_heads: 40, num_key_value_heads: 8, intermediate_size: 13_824, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 32_768, attention_bias: true } },
"Qwen/Qwen2.5-1.5B-Instruct": { source: "maxtext", config: { ...qwen2, hidden_size: 1536, num_hidden_layers: 28, num_attention_heads: 12, num_key_value_heads: 2, intermediate_size: 8960, vocab_size: 151_936, tie_word_embeddings: true, max_position_embeddings: 32_768, attention_bias: true } },
"Qwen/Qwen2.5-0.5B-Instruct": { source: "ome", config: { ...qwen2, hidden_size: 896, num_hidden_layers: 24, num_attention_heads: 14, num_key_value_heads: 2, intermediate_size: 4864, vocab_size: 151_936, tie_word_embeddings: true, max_position_embeddings: 32_768 } },
"Qwen/Qwen2.5-3B-Instruct": { source: "ome", config: { ...qwen2, hidden_size: 2048, num_hidden_layers: 36, num_attention_heads: 16, num_key_value_heads: 2, intermediate_size: 11_008, vocab_size: 151_936, tie_word_embeddings: true, max_position_embeddings: 32_768 } },
"Qwen/Qwen2.5-7B": { source: "ome", config: { ...qwen2, hidden_size: 3584, num_hidden_layers: 28, num_attention_heads: 28, num_key_value_heads: 4, intermediate_size: 18_944, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 131_072 } },
"Qwen/Qwen2.5-14B": { source: "ome", config: { ...qwen2, hidden_size: 5120, num_hidden_layers: 48, num_attention_heads: 40, num_key_value_heads: 8, intermediate_size: 13_824, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 131_072 } },
"Qwen/Qwen2.5-32B": { source: "ome", config: { ...qwen2, hidden_size: 5120, num_hidden_layers: 64, num_attention_heads: 40, num_key_value_heads: 8, intermediate_size: 27_648, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 131_072 } },
"Qwen/Qwen2.5-72B": { source: "ome", config: { ...qwen2, hidden_size: 8192, num_hidden_layers: 80, num_attention_heads: 64, num_key_value_heads: 8, intermediate_size: 29_568, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 131_072 } },
"Qwen/Qwen2-7B-Instruct": { source: "ome", config: { ...qwen2, hidden_size: 3584, num_hidden_layers: 28, num_attention_heads: 28, num_key_value_heads: 4, intermediate_size: 18_944, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 131_072 } },
"Qwen/Qwen2.5-32B-Instruct": { source: "tt-metal", config: { ...qwen2, hidden_size: 5120, num_hidden_layers: 64, num_attention_heads: 40, num_key_value_heads: 8, intermediate_size: 27_648, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 131_072 } },
"Qwen/Qwen2.5-7B-Instruct": { source: "tt-metal", config: { ...qwen2, hidden_size: 3584, num_hidden_layers: 28, num_attention_heads: 28, num_key_value_heads: 4, intermediate_size: 18_944, vocab_size: 152_064, tie_word_embeddings: false, max_position_embeddings: 32_768 } },
};
