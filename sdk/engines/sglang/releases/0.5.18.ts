import type { ReleaseData } from "../../options/release-data.ts";

/** SGLang 0.5.18: the differences from 0.5.19. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.5.18",
  options: {},
  values: {
    "--attention-backend": `
      aiter ascend compressed cutedsl_mla cutlass_mla dsa dsv4 dual_chunk_flash_attn fa3
      fa4 flashinfer flashmla flex_attention hpc_ops intel_amx intel_xpu nsa
      tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--bf16-gemm-backend": "auto cutedsl torch",
    "--decode-attention-backend": `
      aiter ascend compressed cutedsl_mla cutlass_mla dsa dsv4 dual_chunk_flash_attn fa3
      fa4 flashinfer flashmla flex_attention hpc_ops intel_amx intel_xpu nsa
      tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--deepep-v2-mode": "",
    "--dsv4-prefill-backend": "",
    "--flashinfer-mxfp4-moe-precision": "bf16 default",
    "--hicache-host-memory-mode": "",
    "--hicache-storage-backend": "aibrix dynamic eic file hf3fs mooncake mori nixl shm simm",
    "--linear-attn-backend": `
      cutedsl flashinfer flashkda helion nvidia_kda ptx_kda triton
    `,
    "--linear-attn-decode-backend": `
      cutedsl flashinfer flashkda helion nvidia_kda ptx_kda triton
    `,
    "--linear-attn-prefill-backend": `
      cutedsl flashinfer flashkda helion nvidia_kda ptx_kda triton
    `,
    "--linear-attn-verify-backend": `
      cutedsl flashinfer flashkda helion nv_cutedsl nvidia_kda ptx_kda triton
    `,
    "--load-format": `
      auto bitsandbytes dummy fastsafetensors flash_rl gguf layered mistral npcache
      presharded private pt remote remote_instance runai_streamer safetensors
      sharded_state
    `,
    "--moe-a2a-backend": `
      ascend_fuseep ascend_tp deepep flashinfer megamoe mooncake mori nixl none pplx
    `,
    "--moe-runner-backend": `
      aiter auto cutlass deep_gemm experimental_sgl_marlin experimental_sgl_trtllm
      flashinfer_cutedsl flashinfer_cutlass flashinfer_mxfp4 flashinfer_trtllm
      flashinfer_trtllm_routed hpc_ops humming marlin megamoe triton triton_kernel
    `,
    "--prefill-attention-backend": `
      aiter ascend compressed cutedsl_mla cutlass_mla dsa dsv4 dual_chunk_flash_attn fa3
      fa4 flashinfer flashmla flex_attention hpc_ops intel_amx intel_xpu nsa
      tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--sampling-backend": "ascend flashinfer pytorch",
    "--speculative-draft-load-format": `
      auto bitsandbytes dummy fastsafetensors flash_rl gguf layered mistral npcache
      presharded private pt remote remote_instance runai_streamer safetensors
      sharded_state
    `,
    "--speculative-dsa-topk-backend": "",
    "--speculative-moe-a2a-backend": `
      ascend_fuseep ascend_tp deepep flashinfer megamoe mooncake mori nixl none pplx
    `,
    "--speculative-moe-runner-backend": `
      aiter auto cutlass deep_gemm experimental_sgl_marlin experimental_sgl_trtllm
      flashinfer_cutedsl flashinfer_cutlass flashinfer_mxfp4 flashinfer_trtllm
      flashinfer_trtllm_routed hpc_ops humming marlin megamoe triton triton_kernel
    `,
  },
  variables: `
    SGLANG_DSPARK_EXTRA_OPS_SO SGLANG_ENABLE_CUSTOM_ALL_REDUCE_V2_MULTINODE
    SGLANG_K3_DENSE_MLP_ATTN_TP SGLANG_K3_SHARED_EXPERTS_ATTN_TP SGLANG_USE_SGL_XPU
  `,
  lacks: {
    options: `
      --enable-dense-mlp-attn-tp --enable-layernorm-sp --enable-lean-attention
      --enable-shared-experts-attn-tp --enable-w4a4-mxfp4-megamoe --deepep-v2-mode
      --dsv4-prefill-backend --gated-launch-port --hicache-host-memory-mode
      --hicache-storage-prefetch-retry-max-attempts
      --hicache-storage-prefetch-retry-poll-interval
      --http2-initial-connection-window-size --load-publish-endpoint
      --prefill-decode-interval --speculative-dsa-topk-backend
    `,
    variables: `
      SGLANG_AITER_HONOR_EXPLICIT_MEM_FRACTION SGLANG_AITER_MLA_GLUON
      SGLANG_AITER_UNIFIED_DRAFT_EXTEND SGLANG_CACHE_HIT_RATE_WINDOW_SECONDS
      SGLANG_DEEPEP_V2_FORCE_MAX_LEN SGLANG_DEEPEP_V2_NUM_MAX_DISPATCH_TOKENS_PER_RANK
      SGLANG_DEEPEP_V2_NUM_SMS SGLANG_DEEPEP_V2_TRACE_CONTIG SGLANG_DEEPEP_V2_TRACE_MASKED
      SGLANG_DIAG_BYPASS_HEALTH_GENERATE SGLANG_DIFFUSION_DISABLE_EARLY_VAE_DECODER_CAST
      SGLANG_DIFFUSION_DISABLE_LORA_MERGE_CACHE SGLANG_DIFFUSION_DISABLE_MAPPED_COURIER
      SGLANG_DIFFUSION_DISABLE_VAE_DECODER_STORE
      SGLANG_DIFFUSION_TEST_CAP_DEVICE_MEMORY_GIB
      SGLANG_DIFFUSION_TEST_FORCE_HOST_AVAILABLE_GIB SGLANG_DISABLE_LEAN_ATTENTION
      SGLANG_DISABLE_SILU_FP4_QUANT_FUSION SGLANG_DISABLE_SM120_FP8_GEMV
      SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE
      SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE_TIMEOUT
      SGLANG_DSPARK_OPT_FUSED_GREEDY_MARKOV SGLANG_DSV4_Q8KV8_PREFILL
      SGLANG_DSV4_Q8KV8_PREFILL_LOG SGLANG_ENABLE_BF16_SPLITK_GEMM
      SGLANG_ENABLE_GDN_DECODE_FUSED_PROJ_CONV SGLANG_ENABLE_GRAPH_POOL_BORROW
      SGLANG_ENABLE_HICACHE_BUFFER_ANCHOR_LOCK SGLANG_ENABLE_METADATA_GLUE_GRAPH
      SGLANG_ENABLE_QWEN_DEEPEP_SHARED_OVERLAP SGLANG_ENABLE_RANK_CONSENSUS_CHECKER
      SGLANG_ENABLE_TREE_CACHE_SANITY_CHECK SGLANG_EXPERT_CACHE_VRAM_MIB
      SGLANG_EXPERT_PACK_BUILD_VERBOSE SGLANG_EXPERT_PACK_PATH
      SGLANG_EXPERT_PACK_STATS_PATH SGLANG_EXPERT_STAGE_SLOTS SGLANG_EXPOSE_OWN_ENV_VARS
      SGLANG_FLASHINFER_CUTEDSL_NVFP4_W4A16 SGLANG_FLASHINFER_MNNVL_CUTEDSL_AR_FUSION
      SGLANG_FLASHINFER_MNNVL_CUTEDSL_AR_FUSION_MAX_INSTANCES
      SGLANG_FLASHINFER_PR4266_SOURCE SGLANG_FORCE_LEAN_GRID_CU_MULT
      SGLANG_GDN_DECODE_FUSION_LOG_LAYER_HITS SGLANG_GDN_DECODE_FUSION_VERIFY_REAL_TENSORS
      SGLANG_GFX1250_W4A8_MOE SGLANG_GLM_AR_STARTUP_TIMEOUT
      SGLANG_HICACHE_BUFFER_ANCHOR_LOCK_CAP SGLANG_HICACHE_HOST_REGISTER_CHUNK_GB
      SGLANG_K3_RADIX4_TOPK SGLANG_KITCHEN_INT8_MAX_ROWS SGLANG_KITCHEN_INT8_MIN_SPLIT_N
      SGLANG_LOAD_PEAK_VRAM_TOLERANCE SGLANG_MINICPM_DENSE_AS_SPARSE
      SGLANG_MINICPM_FORCE_DENSE SGLANG_MINICPM_FUSE_TOPK SGLANG_MM_LOAD_MAX_RETRIES
      SGLANG_MOE_SHUFFLE_GFX1250 SGLANG_MORI_RECV_BOUND
      SGLANG_OPT_DEEPGEMM_MEGA_MOE_RESERVED_SMS SGLANG_OPT_DG_COMPACT_EAGER
      SGLANG_OPT_FUSED_KDA_VERIFY SGLANG_OPT_FUSED_QK_NORM_ROPE_VERIFY
      SGLANG_OPT_USE_AITER_BATCHED_GEMM SGLANG_PRECISION_HF_READ_ONLY
      SGLANG_QK_RMSNORM_TORCH SGLANG_QWEN35_NATIVE_FINAL_NORM
      SGLANG_RUNTIME_PEAK_VRAM_TOLERANCE SGLANG_SKIP_RUST_TESTS SGLANG_SPEC_TP_SYNC
      SGLANG_TEST_METRICS_FILE SGLANG_TRACE_LOGITS_E2E SGLANG_TRACE_LOGITS_E2E_SYNC
      SGLANG_TRACE_QWEN35_FINAL_NORM SGLANG_TRACE_QWEN_MOE_DEEPEP_E2E
      SGLANG_TRACE_SAMPLER_E2E SGLANG_TRTLLM_MHA_DECODE_SEQ_LEN_SPLITS
      SGLANG_VALIDATE_MAMBA_REPLAY_STATE_INDICES SGLANG_WEIGHT_CACHE_READY_TEMPLATE
      SGLANG_WEIGHT_CACHE_SOCKET_TEMPLATE
    `,
  },
};
