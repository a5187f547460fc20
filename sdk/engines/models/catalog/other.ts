/** gpt-oss, MiniMax, Phi and MiMo: fields of each model's `config.json`. */

import type { CatalogEntry } from "./entry.ts";
import { cycle } from "./patterns.ts";

const fp8Blocks = { quant_method: "fp8", weight_block_size: [128, 128], ignore: ["lm_head"] };

const nvfp4 = {
  quant_method: "modelopt",
  quant_algo: "NVFP4",
  ignore: ["lm_head", "model.layers.*.self_attn*"],
};

const mxfp4 = { quant_method: "mxfp4", ignore: ["model.layers.*.self_attn", "lm_head"] };

const minimaxM2 = {
  architectures: ["MiniMaxM2ForCausalLM"],
  model_type: "minimax_m2",
  hidden_size: 3072,
  num_hidden_layers: 62,
  num_attention_heads: 48,
  num_key_value_heads: 8,
  head_dim: 128,
  intermediate_size: 1536,
  vocab_size: 200_064,
  tie_word_embeddings: false,
  num_local_experts: 256,
  num_experts_per_tok: 8,
};

const gptOss = {
  architectures: ["GptOssForCausalLM"],
  model_type: "gpt_oss",
  hidden_size: 2880,
  num_attention_heads: 64,
  num_key_value_heads: 8,
  head_dim: 64,
  intermediate_size: 2880,
  vocab_size: 201_088,
  tie_word_embeddings: false,
  max_position_embeddings: 131_072,
  num_experts_per_tok: 4,
  sliding_window: 128,
  attention_bias: true,
  rope_scaling: { rope_type: "yarn", factor: 32, original_max_position_embeddings: 4096 },
  quantization_config: mxfp4,
};

const phi3 = {
  architectures: ["Phi3ForCausalLM"],
  model_type: "phi3",
  tie_word_embeddings: false,
  torch_dtype: "bfloat16",
};

export const otherModels: Readonly<Record<string, CatalogEntry>> = {
  "MiniMaxAI/MiniMax-M2.5": {
    source: "aiconfigurator",
    config: { ...minimaxM2, max_position_embeddings: 196_608, quantization_config: fp8Blocks },
  },
  "MiniMaxAI/MiniMax-M2.7": {
    source: "aiconfigurator",
    config: {
      ...minimaxM2,
      max_position_embeddings: 204_800,
      dtype: "bfloat16",
      quantization_config: fp8Blocks,
    },
  },
  "nvidia/MiniMax-M2.5-NVFP4": {
    source: "aiconfigurator",
    config: {
      ...minimaxM2,
      max_position_embeddings: 196_608,
      dtype: "bfloat16",
      quantization_config: nvfp4,
    },
  },
  "nvidia/MiniMax-M2.7-NVFP4": {
    source: "aiconfigurator",
    config: {
      ...minimaxM2,
      max_position_embeddings: 196_608,
      dtype: "bfloat16",
      quantization_config: nvfp4,
    },
  },
  "MiniMaxAI/MiniMax-M3": {
    source: "aiconfigurator",
    config: {
      architectures: ["MiniMaxM3ForCausalLM"],
      model_type: "minimax_m3",
      hidden_size: 6144,
      num_hidden_layers: 60,
      num_attention_heads: 64,
      num_key_value_heads: 4,
      head_dim: 128,
      intermediate_size: 3072,
      vocab_size: 200_064,
      tie_word_embeddings: false,
      max_position_embeddings: 1_048_576,
      torch_dtype: "bfloat16",
      num_local_experts: 128,
      n_shared_experts: 1,
      shared_intermediate_size: 3072,
      moe_intermediate_size: 3072,
      first_k_dense_replace: 3,
      moe_layer_freq: [
        0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      ],
      num_experts_per_tok: 4,
      num_nextn_predict_layers: 1,
      dense_intermediate_size: 12_288,
    },
  },
  "XiaomiMiMo/MiMo-7B-Base": {
    source: "aiconfigurator",
    config: {
      architectures: ["MiMoForCausalLM"],
      model_type: "mimo",
      hidden_size: 4096,
      num_hidden_layers: 36,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      head_dim: 128,
      intermediate_size: 11_008,
      vocab_size: 151_680,
      tie_word_embeddings: false,
      max_position_embeddings: 32_768,
      torch_dtype: "bfloat16",
      attention_bias: true,
      num_nextn_predict_layers: 1,
    },
  },
  "XiaomiMiMo/MiMo-V2-Flash": {
    source: "aiconfigurator",
    config: {
      architectures: ["MiMoV2FlashForCausalLM"],
      model_type: "mimo_v2_flash",
      hidden_size: 4096,
      num_hidden_layers: 48,
      num_attention_heads: 64,
      num_key_value_heads: 4,
      head_dim: 192,
      v_head_dim: 128,
      intermediate_size: 16_384,
      vocab_size: 152_576,
      tie_word_embeddings: false,
      max_position_embeddings: 262_144,
      torch_dtype: "bfloat16",
      n_routed_experts: 256,
      moe_intermediate_size: 2048,
      moe_layer_freq: [
        0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      ],
      num_experts_per_tok: 8,
      sliding_window: 128,
      attention_chunk_size: 128,
      hybrid_layer_pattern: [
        0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1,
        1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0,
      ],
      swa_num_attention_heads: 64,
      swa_num_key_value_heads: 8,
      swa_head_dim: 192,
      swa_v_head_dim: 128,
      quantization_config: { quant_method: "fp8", weight_block_size: [128, 128] },
    },
  },
  "openai/gpt-oss-120b": {
    source: "aiconfigurator",
    config: {
      ...gptOss,
      num_hidden_layers: 36,
      num_local_experts: 128,
      layer_types: cycle(36, ["sliding_attention", "full_attention"]),
    },
  },
  "openai/gpt-oss-20b": {
    source: "aiconfigurator",
    config: {
      ...gptOss,
      num_hidden_layers: 24,
      num_local_experts: 32,
      layer_types: cycle(24, ["sliding_attention", "full_attention"]),
    },
  },
  "microsoft/Phi-3-mini-128k-instruct": {
    source: "ome",
    config: {
      ...phi3,
      hidden_size: 3072,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      intermediate_size: 8192,
      vocab_size: 32_064,
      max_position_embeddings: 131_072,
      sliding_window: 262_144,
    },
  },
  "microsoft/phi-4": {
    source: "tt-metal",
    config: {
      ...phi3,
      hidden_size: 5120,
      num_hidden_layers: 40,
      num_attention_heads: 40,
      num_key_value_heads: 10,
      intermediate_size: 17_920,
      vocab_size: 100_352,
      max_position_embeddings: 16_384,
    },
  },
  "microsoft/Phi-3.5-mini-instruct": {
    source: "mlc",
    config: {
      ...phi3,
      hidden_size: 3072,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      intermediate_size: 8192,
      vocab_size: 32_064,
      max_position_embeddings: 131_072,
      sliding_window: 262_144,
    },
  },
  "microsoft/Phi-3.5-MoE-instruct": {
    source: "ome",
    config: {
      architectures: ["PhiMoEForCausalLM"],
      model_type: "phimoe",
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 6400,
      vocab_size: 32_064,
      tie_word_embeddings: false,
      max_position_embeddings: 131_072,
      torch_dtype: "bfloat16",
      num_local_experts: 16,
      num_experts_per_tok: 2,
      sliding_window: 131_072,
      attention_bias: true,
    },
  },
};
