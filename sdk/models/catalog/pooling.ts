/** Models for embeddings and ranking: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";

const qwen3 = { architectures: ["Qwen3ForCausalLM"], model_type: "qwen3", num_key_value_heads: 8, head_dim: 128, torch_dtype: "bfloat16" };

export const poolingModels: Readonly<Record<string, CatalogEntry>> = {
"Qwen/Qwen3-Embedding-8B": { source: "ome", task: "embed", config: { ...qwen3, hidden_size: 4096, num_hidden_layers: 36, num_attention_heads: 32, intermediate_size: 12_288, vocab_size: 151_665, tie_word_embeddings: false, max_position_embeddings: 40_960 } },
"Qwen/Qwen3-Embedding-0.6B": { source: "tt-metal", task: "embed", config: { ...qwen3, hidden_size: 1024, num_hidden_layers: 28, num_attention_heads: 16, intermediate_size: 3072, vocab_size: 151_669, tie_word_embeddings: true, max_position_embeddings: 32_768 } },
"Qwen/Qwen3-Embedding-4B": { source: "tt-metal", task: "embed", config: { ...qwen3, hidden_size: 2560, num_hidden_layers: 36, num_attention_heads: 32, intermediate_size: 9728, vocab_size: 151_665, tie_word_embeddings: true, max_position_embeddings: 40_960 } },
"intfloat/e5-mistral-7b-instruct": { source: "ome", config: { architectures: ["MistralModel"], model_type: "mistral", hidden_size: 4096, num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 14_336, vocab_size: 32_000, tie_word_embeddings: false, max_position_embeddings: 32_768, torch_dtype: "float16", sliding_window: 4096 } },
"Alibaba-NLP/gte-Qwen2-7B-instruct": { source: "ome", task: "embed", config: { architectures: ["Qwen2ForCausalLM"], model_type: "qwen2", hidden_size: 3584, num_hidden_layers: 28, num_attention_heads: 28, num_key_value_heads: 4, intermediate_size: 18_944, vocab_size: 151_646, tie_word_embeddings: false, max_position_embeddings: 131_072, torch_dtype: "float32" } },
"BAAI/bge-large-en-v1.5": { source: "ome", config: { architectures: ["BertModel"], model_type: "bert", hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096, vocab_size: 30_522, max_position_embeddings: 512, torch_dtype: "float32", type_vocab_size: 2 } },
"Skywork/Skywork-Reward-Llama-3.1-8B-v0.2": { source: "ome", config: { architectures: ["LlamaForSequenceClassification"], model_type: "llama", hidden_size: 4096, num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, head_dim: 128, intermediate_size: 14_336, vocab_size: 128_256, tie_word_embeddings: false, max_position_embeddings: 131_072, torch_dtype: "bfloat16" } },
"BAAI/bge-reranker-v2-m3": { source: "bge-m3-copy", config: { architectures: ["XLMRobertaForSequenceClassification"], model_type: "xlm-roberta", hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096, vocab_size: 250_002, max_position_embeddings: 8194, torch_dtype: "float32", type_vocab_size: 1 } },
};
