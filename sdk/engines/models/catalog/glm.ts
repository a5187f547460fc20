/** GLM: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";

const nvfp4 = {
  quant_method: "modelopt",
  quant_algo: "NVFP4",
  ignore: ["lm_head", "model.layers.*.mlp.shared_experts*", "model.layers.*.self_attn*"],
};

const fp8Blocks = { quant_method: "fp8", weight_block_size: [128, 128], ignore: ["lm_head"] };

const glmMoeDsa = {
  architectures: ["GlmMoeDsaForCausalLM"],
  model_type: "glm_moe_dsa",
  hidden_size: 6144,
  num_hidden_layers: 78,
  num_attention_heads: 64,
  v_head_dim: 256,
  intermediate_size: 12_288,
  vocab_size: 154_880,
  tie_word_embeddings: false,
  dtype: "bfloat16",
  n_routed_experts: 256,
  n_shared_experts: 1,
  moe_intermediate_size: 2048,
  first_k_dense_replace: 3,
  num_experts_per_tok: 8,
  q_lora_rank: 2048,
  kv_lora_rank: 512,
  qk_nope_head_dim: 192,
  qk_rope_head_dim: 64,
  index_n_heads: 32,
  index_head_dim: 128,
  num_nextn_predict_layers: 1,
};

const glm4Moe = {
  architectures: ["Glm4MoeForCausalLM"],
  model_type: "glm4_moe",
  num_attention_heads: 96,
  num_key_value_heads: 8,
  head_dim: 128,
  vocab_size: 151_552,
  tie_word_embeddings: false,
  max_position_embeddings: 131_072,
  torch_dtype: "bfloat16",
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  attention_bias: true,
};

export const glmModels: Readonly<Record<string, CatalogEntry>> = {
  "nvidia/GLM-5-NVFP4": {
    source: "aiconfigurator",
    config: {
      ...glmMoeDsa,
      max_position_embeddings: 202_752,
      quantization_config: {
        quant_algo: "NVFP4",
        group_size: 16,
        ignore: [
          "lm_head",
          "model.layers.*.self_attn.indexer*",
          "model.layers.*.self_attn.kv_a_proj_with_mqa",
          "model.layers.*.self_attn.kv_b_proj",
          "model.layers.*.self_attn.o_proj",
          "model.layers.*.self_attn.q_a_proj",
          "model.layers.*.self_attn.q_b_proj",
        ],
      },
    },
  },
  "nvidia/GLM-5.1-NVFP4": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 202_752, quantization_config: nvfp4 },
  },
  "nvidia/GLM-5.2-NVFP4": {
    source: "aiconfigurator",
    config: {
      ...glmMoeDsa,
      max_position_embeddings: 1_048_576,
      num_experts: 256,
      quantization_config: nvfp4,
    },
  },
  "zai-org/GLM-5-FP8": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 202_752, quantization_config: fp8Blocks },
  },
  "zai-org/GLM-5.1-FP8": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 202_752, quantization_config: fp8Blocks },
  },
  "zai-org/GLM-5.1": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 202_752 },
  },
  "zai-org/GLM-5.2-FP8": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 1_048_576, quantization_config: fp8Blocks },
  },
  "zai-org/GLM-5.2": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 1_048_576 },
  },
  "zai-org/GLM-5": {
    source: "aiconfigurator",
    config: { ...glmMoeDsa, max_position_embeddings: 202_752 },
  },
  "zai-org/GLM-4.5": {
    source: "slime",
    config: {
      ...glm4Moe,
      hidden_size: 5120,
      num_hidden_layers: 92,
      intermediate_size: 12_288,
      n_routed_experts: 160,
      moe_intermediate_size: 1536,
      first_k_dense_replace: 3,
    },
  },
  "zai-org/GLM-4.5-Air": {
    source: "slime",
    config: {
      ...glm4Moe,
      hidden_size: 4096,
      num_hidden_layers: 46,
      intermediate_size: 10_944,
      n_routed_experts: 128,
      moe_intermediate_size: 1408,
      first_k_dense_replace: 1,
    },
  },
};
