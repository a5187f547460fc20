import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.30.0: the differences from 0.31.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.30.0",
  options: {
    boolean: "--enable-mamba-fine-grained-prefix-cache",
    value: "--gpu-memory-utilization",
  },
  values: {
    "--all2all-backend": `
      allgather_reducescatter deepep_high_throughput deepep_low_latency deepep_v2
      flashinfer_all2allv flashinfer_nvlink_one_sided flashinfer_nvlink_two_sided
      mori_high_throughput mori_low_latency naive nixl_ep pplx
    `,
    "--anthropic-disabled-thinking-effort": "",
    "--log-level": "",
    "--reasoning-parser": `
      cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41
      ernie45 gemma4 glm45 glm47 granite holo2 hunyuan_a13b hy_v3 hy_v4 inkling k2_horizon
      kimi_k2 kimi_k3 ling3 mimo minimax_m2 minimax_m2_append_think minimax_m3 mistral
      muse_glimmer nemotron_v3 olmo3 openai_gptoss poolside_v1 qwen3 seed_oss step3
      step3p5
    `,
  },
  variables: `
    VLLM_KIMI_K3_GEMM_RS VLLM_OBJECT_STORAGE_SHM_BUFFER_ VLLM_PLE_CPU_OFFLOAD
    VLLM_ROCM_USE_AITER_MOE_SITUV2_A8W4 VLLM_XPU_ENABLE_XPU_GRAPH
  `,
  lacks: {
    options: `
      --enable-mamba-shared-prefix-checkpoint --long-prefill-token-threshold-adaptive
      --swa-bounded-replay --trust-request-mm-kwargs --anthropic-disabled-thinking-effort
      --aux-output-config --gpu-memory-utilization|--device-memory-utilization --log-level
      --logging-config --max-lora-cls-labels --max-num-active-seqs --tool-strict-level
      --sleep-preserve-parameter-names
    `,
    variables: `
      VLLM_ENABLE_GEMM_RS VLLM_MOONCAKE_CONNECTOR_TIMEOUT
      VLLM_MXFP4_EMULATION_DEQUANT_AT_LOAD VLLM_ROCM_AITER_MLA_DCP_VERIFY
      VLLM_ROCM_USE_AITER_FP4_ASM_GEMM VLLM_ROCM_USE_AITER_MOE_SITUV2
      VLLM_SKIP_VERSION_SUFFIX VLLM_SNAPSHOT_IGNORED_FD_MAP VLLM_SNAPSHOT_TIMEOUT_S
      VLLM_TRITON_JIT_WARMUP_NUM_THREADS VLLM_XPU_PP_MICROBATCH
    `,
    architectures: "LiLiCorrDraftModel",
  },
};
