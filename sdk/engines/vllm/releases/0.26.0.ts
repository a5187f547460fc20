import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.26.0: the differences from 0.27.1. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.26.0",
  options: {
    value: "--max-long-partial-prefills --max-num-partial-prefills",
  },
  values: {
    "--kda-prefill-backend": "",
    "--mamba-ssu-algorithm": "",
    "--mm-hasher-algorithm": "",
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 ernie45 gemma4
      glm45 glm47 granite holo2 hunyuan_a13b hy_v3 inkling kimi_k2 mimo minimax_m2
      minimax_m2_append_think minimax_m3 mistral nemotron_v3 olmo3 openai_gptoss
      poolside_v1 qwen3 seed_oss step3 step3p5
    `,
    "--spec-method": `
      bailing_hybrid_mtp custom_class deepseek_mtp dflash draft_model dspark eagle eagle3
      ernie_mtp exaone4_5_mtp exaone_moe_mtp extract_hidden_states gemma4_mtp
      glm4_moe_lite_mtp glm4_moe_mtp glm_ocr_mtp hy_v3_mtp inkling_mtp longcat_flash_mtp
      medusa mimo_mtp mimo_v2_mtp minimax_m3_mtp mlp_speculator mtp nemotron_h_mtp ngram
      ngram_gpu pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp step3p5_mtp suffix
    `,
    "--tool-call-parser": `
      apertus cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite
      granite-20b-fc granite4 hermes hunyuan_a13b hy_v3 inkling internlm jamba kimi_k2
      lfm2 llama3_json llama4_json llama4_pythonic longcat mimo minicpm5 minimax_m2
      minimax_m3 mistral olmo3 openai phi4_mini_json poolside_v1 pythonic qwen3_coder
      qwen3_xml seed_oss step3 step3p5 xlam
    `,
    "--video-pruning-method": "",
  },
  architectures: "ExaoneMoEForCausalLM OuroForCausalLM Plamo2ForCausalLM",
  unstaged: "OuroForCausalLM",
  lacks: {
    options: `
      --cohere-is-reasoning-model --enable-fault-tolerance --use-replayssm --cohere-format
      --fault-tolerance-config --kda-prefill-backend --mamba-ssu-algorithm
      --mm-hasher-algorithm --replayssm-buffer-len --video-pruning-method
    `,
    variables: `
      VLLM_DCP_Q_REPLICATE VLLM_ENABLE_COHERE_API VLLM_KIMI_K3_SHARD_SP_SHARED_EXPERT
      VLLM_USE_RUST_BENCH
    `,
    architectures: `
      ExaoneMoeForCausalLM K3DSparkModel KimiK3ForConditionalGeneration KimiK3MTPModel
      Qwen3_5ForCausalLM Qwen3_5MoeForCausalLM
    `,
    unstaged: `
      DiffusionGemmaForBlockDiffusion K3DSparkModel KimiK3MTPModel
    `,
  },
};
