import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.28.0: the differences from 0.29.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.28.0",
  options: {},
  values: {
    "--per-request-spec-decode-metrics": "",
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 ernie45 gemma4
      glm45 glm47 granite holo2 hunyuan_a13b hy_v3 inkling kimi_k2 kimi_k3 ling3 mimo
      minimax_m2 minimax_m2_append_think minimax_m3 mistral muse_glimmer nemotron_v3 olmo3
      openai_gptoss poolside_v1 qwen3 seed_oss step3 step3p5
    `,
    "--spec-method": `
      bailing_hybrid_mtp bailing_hybrid_v3_mtp custom_class deepseek_mtp dflash
      dots3_note_mtp draft_model dspark eagle eagle3 ernie_mtp exaone4_5_mtp
      exaone_moe_mtp extract_hidden_states gemma4_mtp glm4_moe_lite_mtp glm4_moe_mtp
      glm_ocr_mtp hy_v3_mtp inkling_mtp kimi_k3_mtp longcat_flash_mtp medusa mimo_mtp
      mimo_v2_mtp minimax_m3_mtp mlp_speculator mtp nemotron_h_mtp ngram ngram_gpu
      pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp step3p5_mtp suffix
    `,
    "--tool-call-parser": `
      apertus cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite
      granite-20b-fc granite4 hermes hunyuan_a13b hy_v3 inkling internlm jamba kimi_k2
      kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic longcat mimo minicpm5
      minimax_m2 minimax_m3 mistral muse_glimmer olmo3 openai phi4_mini_json poolside_v1
      pythonic qwen3_coder qwen3_xml seed_oss step3 step3p5 xlam
    `,
  },
  variables: `
    VLLM_ROCM_USE_AITER_FP4_ASM_GEMM VLLM_TEST_FORCE_FP8_MARLIN VLLM_TRITON_ATTN_USE_TD
  `,
  architectures: `
    ArcticForCausalLM ChameleonForConditionalGeneration Cheers
    CheersForConditionalGeneration Fairseq2LlamaForCausalLM
    FireRedLIDForConditionalGeneration FlexOlmoForCausalLM GritLM HCXVisionForCausalLM
    HunYuanDenseV1ForCausalLM HunYuanMoEV1ForCausalLM HunYuanVLForConditionalGeneration
    MPTForCausalLM MptForCausalLM Olmo3ForCausalLM PrithviGeoSpatialMAE RWForCausalLM
    StableLMEpochForCausalLM
  `,
  unstaged: "FireRedLIDForConditionalGeneration PrithviGeoSpatialMAE",
  lacks: {
    options: `
      --dcp-q-replicate --enable-batch-sharded-sampling --enable-trace-replay
      --max-num-queued-reqs --max-num-queued-tokens --per-request-spec-decode-metrics
      --prefix-cache-retention-interval --sse-keep-alive-interval
    `,
    variables: `
      VLLM_B12X_MOE_FP4_FORCE_A16 VLLM_DISABLE_DSV4_MEGAMOE_SHARED_EXPERT_FUSION
      VLLM_ENABLE_HPC_OPS VLLM_KIMI_K3_GEMM_AR VLLM_KV_OFFLOAD_MAX_BATCH_DESCRIPTORS
      VLLM_MAX_MEDIA_DOWNLOAD_SIZE_MB VLLM_REPLICATE_EMBED VLLM_XPU_FORCE_N_CONTIG_WEIGHT
      VLLM_XPU_INC_WNA16_BACKEND
    `,
    architectures: `
      DeepseekV32MTPModel DeepseekV3BidirectionalModel GraniteMoeSWAForCausalLM
      GraniteSWAForCausalLM HYV4ForCausalLM HYV4MTPModel NemotronH_Omni_Reasoning_V3
      Qwen3OmniDSparkModel Qwen4ExpForCausalLM Qwen4ExpForConditionalGeneration
      Qwen4ExpMTP
    `,
    unstaged: `
      DeepseekV32MTPModel HYV4MTPModel NemotronH_Omni_Reasoning_V3
    `,
  },
};
