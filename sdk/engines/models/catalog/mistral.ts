/** Mistral: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";

const fp8 = { quant_method: "fp8", ignore: ["lm_head"] };

const mixtral = {
  architectures: ["MixtralForCausalLM"],
  model_type: "mixtral",
  num_key_value_heads: 8,
  vocab_size: 32_000,
  tie_word_embeddings: false,
  torch_dtype: "bfloat16",
  num_local_experts: 8,
  num_experts_per_tok: 2,
};

const mistral = {
  architectures: ["MistralForCausalLM"],
  model_type: "mistral",
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  intermediate_size: 14_336,
  tie_word_embeddings: false,
  max_position_embeddings: 32_768,
  torch_dtype: "bfloat16",
};

const ministral3 = {
  architectures: ["Mistral3ForConditionalGeneration"],
  model_type: "ministral3",
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
  vocab_size: 131_072,
  dtype: "bfloat16",
  vision_config: {
    hidden_size: 1024,
    num_hidden_layers: 24,
    intermediate_size: 4096,
    model_type: "pixtral",
    patch_size: 14,
  },
};

export const mistralModels: Readonly<Record<string, CatalogEntry>> = {
  "mistralai/Mixtral-8x22B-v0.1": {
    source: "aiconfigurator",
    config: {
      ...mixtral,
      hidden_size: 6144,
      num_hidden_layers: 56,
      num_attention_heads: 48,
      intermediate_size: 16_384,
      max_position_embeddings: 65_536,
    },
  },
  "mistralai/Mixtral-8x7B-v0.1": {
    source: "aiconfigurator",
    config: {
      ...mixtral,
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      intermediate_size: 14_336,
      max_position_embeddings: 32_768,
    },
  },
  "mistralai/Mistral-7B-Instruct-v0.2": {
    source: "ome",
    config: { ...mistral, vocab_size: 32_000 },
  },
  "mistralai/Mistral-7B-Instruct-v0.3": {
    source: "tt-metal",
    config: { ...mistral, vocab_size: 32_768 },
  },
  "mistralai/Devstral-2-123B-Instruct-2512": {
    source: "tt-metal",
    config: {
      architectures: ["Ministral3ForCausalLM"],
      model_type: "ministral3",
      hidden_size: 12_288,
      num_hidden_layers: 88,
      num_attention_heads: 96,
      num_key_value_heads: 8,
      head_dim: 128,
      intermediate_size: 28_672,
      vocab_size: 131_072,
      tie_word_embeddings: false,
      max_position_embeddings: 262_144,
      dtype: "bfloat16",
      rope_parameters: { rope_type: "yarn", factor: 64, original_max_position_embeddings: 4096 },
      quantization_config: fp8,
    },
  },
  "mistralai/Devstral-Small-2-24B-Instruct-2512": {
    source: "tt-metal",
    config: {
      ...ministral3,
      hidden_size: 5120,
      num_hidden_layers: 40,
      intermediate_size: 32_768,
      tie_word_embeddings: false,
      max_position_embeddings: 393_216,
      rope_parameters: { rope_type: "yarn", factor: 48, original_max_position_embeddings: 8192 },
      quantization_config: fp8,
    },
  },
  "mistralai/Ministral-3-3B-Instruct-2512": {
    source: "mlc",
    config: {
      ...ministral3,
      hidden_size: 3072,
      num_hidden_layers: 26,
      intermediate_size: 9216,
      tie_word_embeddings: true,
      max_position_embeddings: 262_144,
      rope_parameters: {
        rope_type: "yarn",
        type: "yarn",
        factor: 16,
        original_max_position_embeddings: 16_384,
      },
    },
  },
  "mistralai/Mistral-Small-3.2-24B-Instruct-2506": {
    source: "devstral",
    config: {
      ...ministral3,
      hidden_size: 5120,
      num_hidden_layers: 40,
      intermediate_size: 32_768,
      tie_word_embeddings: false,
      max_position_embeddings: 131_072,
    },
  },
};
