/** First releases of vLLM that support a model's architecture, a feature or a GPU. */

import type { Version } from "../options/version.ts";

/**
 * By `min_vllm_version` of vllm-project/recipes 8959cf64 and by release notes: the first release with the architecture,
 * or an earlier one.
 */
export const architectures: Readonly<Record<string, Version>> = {
  MixtralForCausalLM: [0, 2, 5],
  Gemma2ForCausalLM: [0, 5, 1],
  Qwen2VLForConditionalGeneration: [0, 6, 1],
  DeepseekV3ForCausalLM: [0, 6, 6],
  Qwen2_5_VLForConditionalGeneration: [0, 7, 0],
  Gemma3ForCausalLM: [0, 8, 0],
  Gemma3ForConditionalGeneration: [0, 8, 0],
  Llama4ForConditionalGeneration: [0, 8, 3],
  Qwen3ForCausalLM: [0, 8, 4],
  Qwen3MoeForCausalLM: [0, 8, 4],
  Glm4MoeForCausalLM: [0, 10, 0],
  GptOssForCausalLM: [0, 10, 0],
  Qwen3NextForCausalLM: [0, 10, 0],
  DeepseekV32ForCausalLM: [0, 11, 0],
  Qwen3VLForConditionalGeneration: [0, 11, 0],
  Qwen3VLMoeForConditionalGeneration: [0, 11, 0],
  MiniMaxM2ForCausalLM: [0, 11, 0],
  KimiK25ForConditionalGeneration: [0, 14, 0],
  GlmMoeDsaForCausalLM: [0, 15, 0],
  Qwen3_5ForConditionalGeneration: [0, 16, 0],
  Qwen3_5MoeForConditionalGeneration: [0, 16, 0],
  Gemma4ForConditionalGeneration: [0, 18, 0],
  DeepseekV4ForCausalLM: [0, 19, 0],
  MiniMaxM3SparseForConditionalGeneration: [0, 22, 0],
  MiniMaxM3ForCausalLM: [0, 22, 0],
};

/** Architectures for which vLLM supports pipeline stages later than serving; `never` for no release. */
export const pipelineReleases: Readonly<Record<string, Version | "never">> = {
  // vllm-project/vllm#9015: encoder-decoder models.
  MllamaForConditionalGeneration: "never",
  // vllm-project/vllm#16231, fixed on the main branch in April 2025.
  Llama4ForConditionalGeneration: [0, 8, 4],
  // vllm-project/vllm#33685.
  Step3p5ForCausalLM: [0, 17, 0],
  // vllm-project/vllm#45455, #45810 of June 2026.
  MiniMaxM3SparseForConditionalGeneration: [0, 24, 0],
  MiniMaxM3ForCausalLM: [0, 24, 0],
};

/** Architectures with pipeline stages before vLLM 0.6.3, from its error message in vllm-project/vllm#9015. */
export const firstPipelined: ReadonlySet<string> = new Set([
  "AquilaForCausalLM",
  "AquilaModel",
  "DeepseekV2ForCausalLM",
  "GPT2LMHeadModel",
  "InternLM2ForCausalLM",
  "InternLMForCausalLM",
  "InternVLChatModel",
  "JAISLMHeadModel",
  "LlamaForCausalLM",
  "LLaMAForCausalLM",
  "MistralForCausalLM",
  "MixtralForCausalLM",
  "NemotronForCausalLM",
  "Phi3ForCausalLM",
  "Qwen2ForCausalLM",
  "Qwen2MoeForCausalLM",
  "QWenLMHeadModel",
  "Qwen2VLForConditionalGeneration",
]);

/** First release of vLLM whose images contain kernels for a generation of GPUs, by major capability. */
export const gpuReleases: Readonly<Record<number, Version>> = {
  // PyTorch 2.7 with CUDA 12.8; vllm-project/vllm#16901 and gpustack/gpustack#2097 report it for 0.8.
  10: [0, 9, 0],
  12: [0, 9, 0],
};

/** Minimum compute capability on which vLLM runs: vllm-project/vllm#1284. */
export const leastCapability: readonly [major: number, minor: number] = [7, 0];
