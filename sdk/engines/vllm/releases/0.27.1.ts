import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.27.1: the differences from 0.28.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.27.1",
  options: {
    boolean: "--calculate-kv-scales",
    value: "--override-attention-dtype",
  },
  values: {
    "--kv-cache-dtype": `
      auto bfloat16 float16 fp8 fp8_ds_mla fp8_e4m3 fp8_e5m2 fp8_inc fp8_per_token_head
      int4_per_token_head int8_per_token_head nvfp4 turboquant_3bit_nc turboquant_4bit_nc
      turboquant_k3v4_nc turboquant_k8v4
    `,
    "--load-format": `
      auto bitsandbytes dummy fastsafetensors hf instanttensor mistral modelexpress
      npcache pt runai_streamer runai_streamer_sharded safetensors sharded_state
      tensorizer
    `,
    "--quantization": `
      auto_awq auto_gptq awq awq_marlin bitsandbytes compressed-tensors deepseek_v4_fp8
      experts_int8 fbgemm_fp8 fp8 fp8_per_block fp8_per_channel fp8_per_tensor fp_quant
      gpt_oss_mxfp4 gptq gptq_marlin humming inc int8_per_channel_weight_only modelopt
      modelopt_fp4 modelopt_mixed modelopt_mxfp8 moe_wna16 mxfp4 mxfp8 nvfp4_per_token
      online quark torchao
    `,
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 ernie45 gemma4
      glm45 glm47 granite holo2 hunyuan_a13b hy_v3 inkling kimi_k2 kimi_k3 mimo minimax_m2
      minimax_m2_append_think minimax_m3 mistral nemotron_v3 olmo3 openai_gptoss
      poolside_v1 qwen3 seed_oss step3 step3p5
    `,
    "--spec-method": `
      bailing_hybrid_mtp custom_class deepseek_mtp dflash draft_model dspark eagle eagle3
      ernie_mtp exaone4_5_mtp exaone_moe_mtp extract_hidden_states gemma4_mtp
      glm4_moe_lite_mtp glm4_moe_mtp glm_ocr_mtp hy_v3_mtp inkling_mtp kimi_k3_mtp
      longcat_flash_mtp medusa mimo_mtp mimo_v2_mtp minimax_m3_mtp mlp_speculator mtp
      nemotron_h_mtp ngram ngram_gpu pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp
      step3p5_mtp suffix
    `,
    "--tool-call-parser": `
      apertus cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite
      granite-20b-fc granite4 hermes hunyuan_a13b hy_v3 inkling internlm jamba kimi_k2
      kimi_k3 lfm2 llama3_json llama4_json llama4_pythonic longcat mimo minicpm5
      minimax_m2 minimax_m3 mistral olmo3 openai phi4_mini_json poolside_v1 pythonic
      qwen3_coder qwen3_xml seed_oss step3 step3p5 xlam
    `,
  },
  variables: "VLLM_CPU_SGL_KERNEL",
  lacks: {
    options: `
      --mm-device-do-normalize --return-sampling-mask --ec-manager-config
      --mm-processor-device
    `,
    variables: `
      VLLM_ADAPTIVE_VERIFICATION_PROFILE_CONTEXT_LEN VLLM_GDN_DECODE_KERNEL
      VLLM_KIMI_K3_AUX_ATTN_RES_STREAM VLLM_KIMI_K3_GEMM_RS VLLM_MAX_AUDIO_DECODE_BYTES
      VLLM_MAX_BAD_WORDS_TOTAL_TOKENS VLLM_MAX_NUM_BAD_WORDS VLLM_MAX_STOP_STRINGS
      VLLM_MORIIO_TRANSFER_TIMEOUT_S VLLM_OMP_NUM_THREADS_SET_BY_VLLM
      VLLM_RAISE_ON_LOGIT_NANS VLLM_ROCM_AITER_MLA_ASM_PADDING
      VLLM_ROCM_USE_AITER_MOE_SITUV2_A8W4 VLLM_USE_DIRECT_DCP_A2A
      VLLM_USE_DIRECT_DCP_KV_GATHER VLLM_USE_DIRECT_DCP_Q_GATHER VLLM_USE_HW_AGNOSTIC
    `,
    architectures: `
      BailingMoeV3ForCausalLM BailingMoeV3MTPModel DFlash2DraftModel
      DFlashMuseGlimmerAssistantModel Dots3NoteForCausalLM Dots3NoteMTPModel
      InternS2MobiusForConditionalGeneration InternS2MobiusMTP MuseGlimmerAssistantModel
      MuseGlimmerForCausalLM MuseGlimmerForConditionalGeneration
    `,
    unstaged: "Dots3NoteMTPModel InternS2MobiusMTP",
  },
};
