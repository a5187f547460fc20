import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.29.0: the differences from 0.30.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.29.0",
  options: {
    boolean: "--enable-bf16x3-router-gemm",
  },
  values: {
    "--kda-decode-backend": "",
    "--kda-prefill-backend": "auto flashkda triton",
    "--kv-cache-dtype": `
      auto bfloat16 float16 fp8 fp8_ds_mla fp8_e4m3 fp8_e5m2 fp8_inc fp8_per_token_head
      int4_per_token_head int8_per_token_head nvfp4 nvfp4_4over6 turboquant_3bit_nc
      turboquant_4bit_nc turboquant_k3v4_nc turboquant_k8v4
    `,
    "--load-format": `
      auto dummy fastsafetensors hf instanttensor mistral modelexpress npcache pt
      runai_streamer runai_streamer_sharded safetensors sharded_state tensorizer
    `,
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 ernie45 gemma4
      glm45 glm47 granite holo2 hunyuan_a13b hy_v3 hy_v4 inkling kimi_k2 kimi_k3 ling3
      mimo minimax_m2 minimax_m2_append_think minimax_m3 mistral muse_glimmer nemotron_v3
      olmo3 openai_gptoss poolside_v1 qwen3 seed_oss step3 step3p5
    `,
    "--spec-method": `
      bailing_hybrid_mtp bailing_hybrid_v3_mtp custom_class deepseek_mtp dflash
      dots3_note_mtp draft_model dspark eagle eagle3 ernie_mtp exaone4_5_mtp
      exaone_moe_mtp extract_hidden_states gemma4_mtp glm4_moe_lite_mtp glm4_moe_mtp
      glm_ocr_mtp hy_v3_mtp hy_v4_mtp inkling_mtp kimi_k3_mtp longcat_flash_mtp medusa
      mimo_mtp mimo_v2_mtp minimax_m3_mtp mlp_speculator mtp nemotron_h_mtp ngram
      ngram_gpu pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp qwen4_exp_mtp step3p5_mtp
      suffix
    `,
    "--tool-call-parser": `
      apertus cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite
      granite-20b-fc granite4 hermes hunyuan_a13b hy_v3 hy_v4 inkling internlm jamba
      kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic longcat mimo
      minicpm5 minimax_m2 minimax_m3 mistral muse_glimmer olmo3 openai phi4_mini_json
      poolside_v1 pythonic qwen3_coder qwen3_xml seed_oss step3 step3p5 xlam
    `,
  },
  variables: `
    VLLM_MM_HASHER_ALGORITHM VLLM_NIXL_EP_MAX_NUM_RANKS
    VLLM_PREFIX_CACHE_RETENTION_INTERVAL
  `,
  unstaged: `
    DeepSeekMTPModel DeepseekV32MTPModel Dots3NoteMTPModel InternS2MobiusMTP Qwen3_5MTP
    Qwen3_5MoeMTP
  `,
  lacks: {
    options: `
      --enable-mamba-fine-grained-prefix-cache --enable-nccl-comm-suspend
      --enable-scale-out --dp-sync-interval --elastic-ep-max-dp-size --engram-config
      --kda-decode-backend --sparse-indexer-topk-backend --watermark-config
    `,
    variables: `
      VLLM_ALLREDUCE_USE_FLASHINFER_PCIE_IPC VLLM_MAX_EMBED_DECODE_BYTES
      VLLM_PLE_CPU_OFFLOAD
    `,
    connectors: "HiSparseConnector",
    architectures: `
      BailingMoeV3VLForConditionalGeneration CohereCompassForConditionalGeneration
      DSparkV41DraftModel DeepseekV41ForCausalLM DeepseekV4ForConditionalGeneration
      Glm5NextForCausalLM Glm5NextForConditionalGeneration Glm5NextMTPModel
      K2HorizonForCausalLM
    `,
    unstaged: `
      DSparkV41DraftModel Eagle3LlamaForCausalLM Eagle3MiniMaxM2ForCausalLM
      Eagle3Qwen2_5vlForCausalLM Eagle3Qwen3vlForCausalLM EagleLlama4ForCausalLM
      EagleLlamaForCausalLM EagleMiniCPMForCausalLM EagleMistralForCausalLM
      EagleMistralLarge3ForCausalLM Glm5NextMTPModel LlamaForCausalLMEagle3
      PEagleDraftModel PeagleLlamaForCausalLM
    `,
  },
};
