import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.31.0: the differences from 0.32.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.31.0",
  options: {},
  values: {
    "--all2all-backend": `
      allgather_reducescatter deepep_high_throughput deepep_low_latency deepep_v2
      flashinfer_all2allv flashinfer_nvlink_one_sided flashinfer_nvlink_two_sided moonep
      mori_high_throughput mori_low_latency naive nixl_ep pplx
    `,
    "--gdn-prefill-backend": "cutedsl flashinfer triton",
    "--kv-cache-dtype": `
      auto bfloat16 float16 fp8 fp8_ds_mla fp8_e4m3 fp8_e5m2 fp8_inc fp8_per_token_head
      int4_per_token_head int8_per_token_head nvfp4 nvfp4_4over6 nvfp4_ds_mla
      turboquant_3bit_nc turboquant_4bit_nc turboquant_k3v4_nc turboquant_k8v4
    `,
    "--mamba-cache-mode": "align all none",
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41
      ernie45 gemma4 glm45 glm47 granite granite_thinking_parser holo2 hunyuan_a13b hy_v3
      hy_v4 inkling k2_horizon kimi_k2 kimi_k3 ling3 mimo minimax_m2
      minimax_m2_append_think minimax_m3 mistral muse_glimmer nemotron_v3 olmo3
      openai_gptoss poolside_v1 qwen3 seed_oss step3 step3p5
    `,
    "--tool-call-parser": `
      apertus cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 deepseek_v41 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47
      granite granite-20b-fc granite4 hermes hunyuan_a13b hy_v3 hy_v4 inkling internlm
      jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic
      longcat mimo minicpm5 minimax_m2 minimax_m3 mistral muse_glimmer olmo3 openai
      phi4_mini_json poolside_v1 pythonic qwen3_coder qwen3_xml seed_oss step3 step3p5
      xlam
    `,
  },
  variables: "VLLM_ENGINE_ITERATION_TIMEOUT_S",
  architectures: `
    ArceeForCausalLM CwmForCausalLM GPTNeoXForCausalLM GlmForCausalLM Jais2ForCausalLM
    MellumForCausalLM PhiForCausalLM SeedOssForCausalLM
  `,
  lacks: {
    options: `
      --enable-hc-sp --enable-shm-tensor-arena --sleep-mode-offload-cudagraph
      --custom-histogram-buckets --grpc-port
    `,
    variables: `
      VLLM_CHAT_TEMPLATE_RENDER_TIMEOUT VLLM_CUSTOM_ALLREDUCE_ALGO
      VLLM_FLASHINFER_MOE_A2A_LOW_PRECISION_COMBINE VLLM_P2P_HANDSHAKE_TIMEOUT_S
      VLLM_P2P_IDLE_TIMEOUT_S VLLM_P2P_MAX_PEERS
      VLLM_ROCM_AITER_MEGA_MOE_FUSE_SHARED_EXPERTS VLLM_ROCM_MONO_DECODE
      VLLM_ROCM_USE_AITER_MOE_A4W4_DSV4 VLLM_ROCM_USE_AITER_TRITON_SPARSE_MLA
    `,
    architectures: `
      ClefOmniForJointSchema EmbeddingGemma2Model ExaoneMoEForCausalLM
      MiniCPMV4_7ForConditionalGeneration
    `,
    unstaged: "EmbeddingGemma2Model",
  },
};
