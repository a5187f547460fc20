import type { ReleaseData } from "../../options/release-data.ts";

/** SGLang 0.5.21: the differences from 0.5.22. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.5.21",
  options: {
    value: "--cuda-graph-tc-compiler",
  },
  values: {
    "--attention-backend": `
      aiter ascend compressed cutedsl_mla dsa dsv4 fa3 fa4 flashinfer flashmla
      flex_attention hpc_ops intel_amx intel_xpu minicpm_flashattn minicpm_flashinfer nsa
      qsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--cuda-graph-backend-decode": "breakable disabled full tc_piecewise",
    "--cuda-graph-backend-prefill": "breakable disabled full tc_piecewise",
    "--cuda-graph-tc-compiler": "eager inductor",
    "--decode-attention-backend": `
      aiter ascend compressed cutedsl_mla dsa dsv4 fa3 fa4 flashinfer flashmla
      flex_attention hpc_ops intel_amx intel_xpu minicpm_flashattn minicpm_flashinfer nsa
      qsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--disaggregation-decode-allocation-policy": "",
    "--dsa-decode-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 tilelang triton trtllm
    `,
    "--dsa-prefill-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 tilelang triton trtllm
    `,
    "--dsa-triton-union": "",
    "--hicache-storage-backend": `
      aibrix dynamic eic file hf3fs mooncake mori nixl npu_memcache shm sim simm
      tensorcast
    `,
    "--load-format": `
      auto bitsandbytes dummy expert_pack fastsafetensors flash_rl gguf layered mistral
      npcache presharded private pt remote remote_instance runai_streamer safetensors
      sharded_state
    `,
    "--prefill-attention-backend": `
      aiter ascend compressed cutedsl_mla dsa dsv4 fa3 fa4 flashinfer flashmla
      flex_attention hpc_ops intel_amx intel_xpu minicpm_flashattn minicpm_flashinfer nsa
      qsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla wave
    `,
    "--qsa-indexer-dtype": "",
    "--speculative-draft-load-format": `
      auto bitsandbytes dummy expert_pack fastsafetensors flash_rl gguf layered mistral
      npcache presharded private pt remote remote_instance runai_streamer safetensors
      sharded_state
    `,
  },
  variables: "SGLANG_K3_KDA_FUSED_BACKEND",
  lacks: {
    options: `
      --enable-kv-cache-sharding --enable-watermark --speculative-use-block-verification
      --enable-dsa-fused-indexer --speculative-enable-w4a4-mxfp4-megamoe
      --attn-dp-size|--attention-data-parallel-size
      --disaggregation-decode-allocation-policy --dsa-triton-union --qsa-indexer-dtype
      --watermark-config
    `,
    variables: `
      SGLANG_AITER_ASM_PREFILL_HD128 SGLANG_AITER_CAPTURE_COPY_IN
      SGLANG_AITER_GFX942_BLOCKSCALE_USE_CK SGLANG_AITER_MLA_AUTO_KV_SPLITS
      SGLANG_AITER_MLA_DCP_DECODE_BACKEND SGLANG_AITER_MLA_DECODE_BACKEND
      SGLANG_AITER_MLA_VERIFY_BACKEND SGLANG_AITER_MOE_SORTING_DISPATCH_POLICY
      SGLANG_DEEPEP_V2_ENABLE_PREFILL_EXPAND SGLANG_DIFFUSION_CONVROT_INT8_BACKEND
      SGLANG_DIFFUSION_DISABLE_SP_PAD_MASK SGLANG_DIFFUSION_IPC_A2A_MULTI
      SGLANG_DIFFUSION_ULYSSES_PIPELINE_GROUPS SGLANG_DISABLE_KDA_PREFILL_GRAPH_EXTEND
      SGLANG_DP_MASK_PAD_ROWS SGLANG_DSPARK_USE_GREEDY_DRAFT
      SGLANG_ENABLE_DISAGG_PREFILL_CONTINUOUS_INPUT_POLLING
      SGLANG_ENABLE_LORA_CSGMV_SPLIT_K SGLANG_ENABLE_NAN_LOGITS_CHECK
      SGLANG_ENABLE_WAITING_PREFIX_REFRESH SGLANG_HI3_COND_ENCODE_BATCHING
      SGLANG_HI3_OUTPUT_CROP SGLANG_HIP_DSPARK_DRAFT_RAW_METADATA
      SGLANG_HIP_FFN_NORM_MXFP8 SGLANG_HIP_SHARED_ACT_MXFP8 SGLANG_HIP_WO_A_MXFP8
      SGLANG_KANDINSKY6_SR_TEST_MODEL SGLANG_KANDINSKY6_SR_TEST_SERVER_ARGS
      SGLANG_KANDINSKY6_TEST_MODEL SGLANG_KANDINSKY6_TEST_SERVER_ARGS
      SGLANG_KDA_PREFILL_GRAPH_MAX_SEQS SGLANG_M3_USE_AITER_FUSED_QKNORM
      SGLANG_MINIMAX_M3_INDEXER_CP SGLANG_MORI_EP_V2
      SGLANG_OPT_DEEPGEMM_MEGA_MOE_FUSE_SHARED_EXPERTS SGLANG_OPT_DSV41_MEGA_MHC_PREFILL
      SGLANG_OPT_ENGRAM_EXTEND_HASH SGLANG_OPT_HIP_FLYDSL_MXFP8
      SGLANG_OPT_HIP_OPUS_SPARSE_PREFILL SGLANG_OPT_HOPPER_BLOCK_FP8_BF16
      SGLANG_OPT_RELEASE_PREFILL_SWA SGLANG_PARALLEL_PROMPT_ENCODE
      SGLANG_PARALLEL_PROMPT_ENCODE_MIN_CHARS SGLANG_ROCM_K3_KDA_FUSED_BACKEND
      SGLANG_ROCM_SMALLM_FP8_PROJ SGLANG_ROCM_SMALLM_ROUTER SGLANG_SIMULATE_ACC_GREEDY
      SGLANG_TEST_TI2I_INPUT_IMAGE
    `,
  },
};
