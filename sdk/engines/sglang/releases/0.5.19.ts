import type { ReleaseData } from "../../options/release-data.ts";

/** SGLang 0.5.19: the differences from 0.5.20. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.5.19",
  options: {
    switch: `
      --collect-tokens-histogram --disable-piecewise-cuda-graph
      --enable-breakable-cuda-graph --enable-dsa-prefill-context-parallel
      --enable-expert-distribution-metrics --enable-gdn-replayssm-spec
      --enable-nsa-prefill-context-parallel --enable-prefill-context-parallel
      --enforce-piecewise-cuda-graph --prefill-round-robin-balance --stream-output
    `,
    value: `
      --cuda-graph-max-bs --dsa-prefill-cp-mode --mamba-scheduler-strategy
      --nsa-decode-backend --nsa-prefill-backend --nsa-prefill-cp-mode
      --piecewise-cuda-graph-compiler --piecewise-cuda-graph-max-tokens --prefill-cp-mode
      --speculative-dflash-draft-window-size
    `,
    list: "--cuda-graph-bs --piecewise-cuda-graph-tokens",
  },
  values: {
    "--attention-backend": `
      aiter ascend compressed cutedsl_mla cutlass_mla dsa dsv4 dual_chunk_flash_attn fa3
      fa4 flashinfer flashmla flex_attention hpc_ops intel_amx intel_xpu minicpm_flashattn
      minicpm_flashinfer nsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--bf16-gemm-backend": "auto cutedsl flashinfer_pr4266 gemv torch",
    "--decode-attention-backend": `
      aiter ascend compressed cutedsl_mla cutlass_mla dsa dsv4 dual_chunk_flash_attn fa3
      fa4 flashinfer flashmla flex_attention hpc_ops intel_amx intel_xpu minicpm_flashattn
      minicpm_flashinfer nsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--dsa-decode-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 tilelang trtllm
    `,
    "--dsa-prefill-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 tilelang trtllm
    `,
    "--dsa-prefill-cp-mode": "in-seq-split round-robin-split",
    "--dsv4-attn-backend": "",
    "--flashinfer-a2a-dispatch-type": "",
    "--hicache-storage-backend": `
      aibrix dynamic eic file hf3fs mooncake mori nixl shm sim simm
    `,
    "--moe-a2a-backend": `
      ascend_fuseep ascend_tp deepep deepep_v2 flashinfer megamoe mooncake mori nixl none
      pplx
    `,
    "--moe-runner-backend": `
      aiter auto cutlass deep_gemm experimental_sgl_marlin experimental_sgl_trtllm
      flashinfer_cutedsl flashinfer_cutlass flashinfer_mxfp4 flashinfer_trtllm
      flashinfer_trtllm_routed hpc_ops humming intel_xpu marlin megamoe triton
      triton_kernel
    `,
    "--nsa-decode-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 tilelang trtllm
    `,
    "--nsa-prefill-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 tilelang trtllm
    `,
    "--nsa-prefill-cp-mode": "in-seq-split round-robin-split",
    "--piecewise-cuda-graph-compiler": "eager inductor",
    "--ple-offload-backend": "",
    "--prefill-attention-backend": `
      aiter ascend compressed cutedsl_mla cutlass_mla dsa dsv4 dual_chunk_flash_attn fa3
      fa4 flashinfer flashmla flex_attention hpc_ops intel_amx intel_xpu minicpm_flashattn
      minicpm_flashinfer nsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--prefill-cp-mode": "in-seq-split",
    "--quantization": `
      auto-round auto-round-int8 awq awq_marlin bitsandbytes compressed-tensors fp8 gguf
      gptq gptq_marlin humming marlin mlx_q4 mlx_q8 modelopt modelopt_fp4 modelopt_fp8
      modelopt_mixed modelslim moe_wna16 mxfp4 mxfp8 mxfp_w4a8 nvfp4_online petit_nvfp4
      quark quark_int4fp8_moe quark_mxfp4 unquant w4afp8 w8a8_fp8 w8a8_int8
    `,
    "--schedule-policy": "dfs-weight fcfs lof lpm priority random routing-key",
    "--speculative-draft-model-quantization": `
      auto-round auto-round-int8 awq awq_marlin bitsandbytes compressed-tensors fp8 gguf
      gptq gptq_marlin humming marlin mlx_q4 mlx_q8 modelopt modelopt_fp4 modelopt_fp8
      modelopt_mixed modelslim moe_wna16 mxfp4 mxfp8 mxfp_w4a8 nvfp4_online petit_nvfp4
      quark quark_int4fp8_moe quark_mxfp4 unquant w4afp8 w8a8_fp8 w8a8_int8
    `,
    "--speculative-moe-runner-backend": `
      aiter auto cutlass deep_gemm experimental_sgl_marlin experimental_sgl_trtllm
      flashinfer_cutedsl flashinfer_cutlass flashinfer_mxfp4 flashinfer_trtllm
      flashinfer_trtllm_routed hpc_ops humming intel_xpu marlin megamoe triton
      triton_kernel
    `,
    "--unified-cache-external-linker-backend": "",
  },
  variables: `
    SGLANG_DISABLE_SM120_FP8_GEMV SGLANG_DSA_TRITON_PREFILL
    SGLANG_EXPERT_PACK_BUILD_VERBOSE SGLANG_FLASHINFER_PR4266_SOURCE
  `,
  lacks: {
    options: `
      --enable-response-store --enable-unified-cache-external-linker --return-input-ids
      --return-output-ids --ple-offload-embedding --dsv4-attn-backend
      --flashinfer-a2a-dispatch-type --ple-offload-backend --ple-offload-dir
      --radix-eviction-policy-config --sampling-mask-max-tokens
      --speculative-domino-candidate-pool-size --unified-cache-external-linker-backend
      --uno-lora-path
    `,
    variables: `
      SGLANG_ASM_VERIFY_ATTN SGLANG_CRASH_ON_JIT_COMPILE SGLANG_CUTE_AOT_CACHE_DIR
      SGLANG_DIFFUSION_COSMOS3_STEP_MIXED_PRECISION_FIRST_STEPS
      SGLANG_DIFFUSION_COSMOS3_STEP_MIXED_PRECISION_LAST_STEPS
      SGLANG_DIFFUSION_DEBUG_HOST_MEMORY SGLANG_DIFFUSION_DEBUG_LAYERWISE_TIMING
      SGLANG_DIFFUSION_DISABLE_AUTO_RESIDENCY SGLANG_DIFFUSION_DISABLE_HOST_SPILL
      SGLANG_DIFFUSION_DISABLE_MAPPED_DIRECT_READ SGLANG_DIFFUSION_DISABLE_MAPPED_WILLNEED
      SGLANG_DIFFUSION_ENABLE_COSMOS3_STEP_MIXED_PRECISION SGLANG_DIFFUSION_HOST_SPILL_DIR
      SGLANG_DIFFUSION_MINIMAX_H3_ADALN_FP32 SGLANG_DIFFUSION_MINIMAX_H3_ADALN_GPU_PLANS
      SGLANG_DISABLE_LFM_FUSED_CONV SGLANG_DISAGGREGATION_ENGINE_INIT_TIMEOUT
      SGLANG_DSA_KPOOL_DEBUG_BOUNDS SGLANG_DSV4_FP4_LOGITS_BUDGET_MB
      SGLANG_DSV4_UNIFIED_KV_FP8 SGLANG_ENABLE_DISAGG_SAMPLING_MASK
      SGLANG_ENABLE_GRAPH_POOL_PRECARVE SGLANG_ENABLE_QWEN4_PLE_FUSION
      SGLANG_EXACT_CHUNK_FILL SGLANG_EXPERIMENTAL_DSA_KPOOL_METADATA_FUSION
      SGLANG_FLASHINFER_MEGAMOE_COMBINE_DTYPE
      SGLANG_FLASHINFER_MEGAMOE_IN_KERNEL_FC2_REDUCE
      SGLANG_FLASHINFER_MEGAMOE_MAX_TOKENS_PER_RANK SGLANG_FORCE_CPU_IMAGE_PREPROCESSING
      SGLANG_HICACHE_HOST_MEM_BACKEND SGLANG_HICACHE_MEMCACHE_CONFIG_PATH
      SGLANG_HICACHE_SKIP_HOST_DUPLICATE_RECLAIM SGLANG_K3_FLYDSL_SOURCE
      SGLANG_K3_KDA_FUSED_BACKEND SGLANG_MINIMAX_M3_INDEX_TOPK_FREQ
      SGLANG_MLA_DEDUP_CHUNK_TOKENS SGLANG_MOONCAKE_MAX_TRANSFER_BATCH_INDICES
      SGLANG_NPU_DSV4_DEEPEP_LL_DISPATCH_QUANT_MODE SGLANG_NPU_ENABLE_SPARSE_KV_OFFLOAD
      SGLANG_NPU_MEMCACHE_ENABLE_WARMUP SGLANG_OPT_FP8_WO_A_FUSED_INVROPE
      SGLANG_PROFILE_BY_STAGE_DECODE_MIN_BS SGLANG_QWEN4_PLE_FILE_DIR
      SGLANG_QWEN4_PLE_FILE_PREFETCH SGLANG_QWEN4_PLE_FILE_RSS_BUDGET_GB
      SGLANG_QWEN4_PLE_FILE_RSS_INTERVAL_S SGLANG_QWEN4_PLE_FILE_SKIP_DEVICE_CHECK
      SGLANG_ROCM_K3_FUSE_KDA_INPROJ SGLANG_ROCM_K3_FUSE_KDA_INPROJ_MAX_TOKENS
      SGLANG_TEST_MOONCAKE_DEVICE SGLANG_TRITON_DENSE_PREFILL_ATTN
      SGLANG_TRITON_FP8_PREFILL_ATTN SGLANG_USE_ATTN_TP_NGRAM
    `,
  },
};
