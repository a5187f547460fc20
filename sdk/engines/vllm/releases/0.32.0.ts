import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.32.0: the differences from 0.33.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.32.0",
  options: {},
  values: {
    "--gdn-prefill-backend": "aiter_flydsl cutedsl flashinfer triton",
    "--kv-cache-dtype": `
      auto bfloat16 float16 fp8 fp8_ds_mla fp8_e4m3 fp8_e5m2 fp8_inc fp8_per_token_head
      int4_per_token_head int8_per_token_head nvfp4 nvfp4_4over6 nvfp4_ds_mla
      turboquant_3bit_nc turboquant_4bit_nc turboquant_k3v4_nc turboquant_k8v4
      ultraquant_4bit
    `,
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41
      ernie45 gemma4 glm45 glm47 granite granite_thinking_parser hf holo2 hunyuan_a13b
      hy_v3 hy_v4 inkling k2_horizon kimi_k2 kimi_k3 ling3 mimo minicpmv minimax_m2
      minimax_m2_append_think minimax_m3 mistral muse_glimmer nemotron_v3 olmo3
      openai_gptoss plamo3 poolside_v1 qwen3 seed_oss step3 step3p5
    `,
    "--spec-method": `
      bailing_hybrid_mtp bailing_hybrid_v3_mtp custom_class deepseek_mtp dflash
      dots3_note_mtp draft_model dspark eagle eagle3 ernie_mtp exaone4_5_mtp
      exaone_moe_mtp extract_hidden_states gemma4_mtp glm4_moe_lite_mtp glm4_moe_mtp
      glm5_next_mtp glm_ocr_mtp hy_v3_mtp hy_v4_mtp inkling_mtp kimi_k3_mtp
      longcat_flash_mtp medusa mimo_mtp mimo_v2_mtp minimax_m3_mtp mlp_speculator mtp
      nemotron_h_mtp ngram ngram_gpu pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp
      qwen4_exp_mtp step3p5_mtp suffix
    `,
    "--tool-call-parser": `
      apertus cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 deepseek_v41 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47
      granite granite-20b-fc granite4 hermes hf hunyuan_a13b hy_v3 hy_v4 inkling internlm
      jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic
      longcat mimo minicpm5 minimax_m2 minimax_m3 mistral muse_glimmer olmo3 openai
      phi4_mini_json plamo3 poolside_v1 pythonic qwen3_coder qwen3_json qwen3_xml seed_oss
      step3 step3p5 xlam
    `,
  },
  variables: `
    VLLM_ROCM_AITER_MEGA_MOE_FUSE_SHARED_EXPERTS VLLM_ROCM_AITER_MLA_DCP_VERIFY
    VLLM_ROCM_MONO_DECODE VLLM_ROCM_USE_AITER_FP4_ASM_GEMM
    VLLM_USE_RAY_COMPILED_DAG_CHANNEL_TYPE VLLM_USE_RAY_COMPILED_DAG_OVERLAP_COMM
    VLLM_USE_RAY_V2_EXECUTOR_BACKEND VLLM_USE_RAY_WRAPPED_PP_COMM
  `,
  architectures: "MedusaModel",
  unstaged: "MedusaModel",
  lacks: {
    options: `
      --monokernel --reasoning-effort-map --sleep-mode-backend --watchdog-config
    `,
    variables: `
      VLLM_BEAM_ALWAYS_CONSTRAIN_OUTPUT VLLM_CHAT_TEMPLATE_FUEL
      VLLM_COHERE2_ATTN_MOE_DUAL_STREAM_TOKEN_THRESHOLD VLLM_HTTP_MAX_REQUEST_BODY_SIZE
      VLLM_MAX_MEDIA_REQUEST_DECODE_BYTES VLLM_MAX_MEDIA_REQUEST_DOWNLOAD_SIZE_MB
      VLLM_MINIMAX_M3_MSA_CUTLASS_MIN_BATCH VLLM_REQUEST_BODY_LOG_LEVEL
      VLLM_ROCM_MUSE_MOE_ONLINE_QUANT VLLM_ROCM_MUSE_MOE_REDUCE_DTYPE
      VLLM_STEP5_SHARD_SP_SHARED_EXPERT
    `,
    architectures: `
      AliceAIForCausalLM Alpamayo2Super BeamForCausalLM ClefFlashForJointSchema
      ColUltraVBertForRetrieval D3ForSequenceClassification DFlash2BeamDraftModel
      DFlashQwen3XPressModel DomynEdgeForCausalLM DoryForCausalLM FlintForCausalLM
      Lfm2BidirectionalModel MiniCPMOcrForConditionalGeneration ModernVBertModel
      MuseSparkDSparkModel MuseSparkForConditionalGeneration ParseAuxMTPModel
      Qwen3XPressModel RadioMBartPrefixForCausalLM Step5ForCausalLM
      Step5ForConditionalGeneration Step5MTP
    `,
    unstaged: `
      AliceAIForCausalLM ColUltraVBertForRetrieval D3ForSequenceClassification
      DFlash2BeamDraftModel DomynEdgeForCausalLM DoryForCausalLM Lfm2BidirectionalModel
      ModernVBertModel ParseAuxMTPModel RadioMBartPrefixForCausalLM Step5MTP
    `,
  },
};
