import type { ReleaseData } from "../../options/release-data.ts";

/** vLLM 0.33.0. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.33.0",
  options: {
    switch: `
      --aggregate-engine-logging --data-parallel-multi-port-external-lb|-dpm
      --disable-log-stats --grpc --headless -h|--help
    `,
    boolean: `
      --allow-credentials --allow-deprecated-quantization --async-scheduling
      --cohere-is-reasoning-model --cudagraph-metrics --data-parallel-external-lb|-dpe
      --data-parallel-hybrid-lb|-dph --dcp-q-replicate --disable-cascade-attn
      --disable-chunked-mm-input --disable-custom-all-reduce --disable-fastapi-docs
      --disable-hybrid-kv-cache-manager --disable-nccl-for-dp-synchronization
      --disable-sliding-window --disable-uvicorn-access-log --enable-auto-tool-choice
      --enable-batch-sharded-sampling --enable-chunked-prefill --enable-cumem-allocator
      --enable-dbo --enable-elastic-ep --enable-ep-weight-filter --enable-eplb
      --enable-expert-parallel|-ep --enable-fault-tolerance
      --enable-flash-late-interaction --enable-flashinfer-autotune
      --enable-force-include-usage --enable-hc-sp --enable-layerwise-nvtx-tracing
      --enable-log-deltas --enable-log-outputs --enable-log-requests
      --enable-logging-iteration-details --enable-lora
      --enable-mamba-cache-stochastic-rounding --enable-mamba-shared-prefix-checkpoint
      --enable-mfu-metrics --enable-mixed-moe-lora-format --enable-mm-embeds
      --enable-moe-shared-loras --enable-nccl-comm-suspend --enable-offline-docs
      --enable-per-request-metrics --enable-prefix-caching --enable-prompt-embeds
      --enable-prompt-tokens-details --enable-request-id-headers
      --enable-return-routed-experts --enable-scale-out --enable-server-load-tracking
      --enable-shm-tensor-arena --enable-sleep-mode --enable-ssl-refresh
      --enable-tokenizer-info-endpoint --enable-tower-connector-lora --enable-trace-replay
      --enforce-eager --exclude-tools-when-tool-choice-none --fail-on-environ-validation
      --fully-sharded-loras --interleave-mm-strings --jit-monitor-verbose
      --kv-cache-metrics --kv-sharing-fast-prefill --language-model-only --log-error-stack
      --long-prefill-token-threshold-adaptive --mm-device-do-normalize --mm-encoder-only
      --monokernel --numa-bind --ray-workers-use-nsight --return-sampling-mask
      --return-tokens-as-token-ids --scheduler-reserve-full-isl --skip-mm-profiling
      --skip-tokenizer-init --sleep-mode-offload-cudagraph --specialize-active-lora
      --swa-bounded-replay --tokens-only --trust-remote-code --trust-request-chat-template
      --trust-request-mm-kwargs --use-fp64-gumbel --use-replayssm --use-tqdm-on-load
    `,
    value: `
      --additional-config --all2all-backend --allowed-headers --allowed-local-media-path
      --allowed-methods --allowed-origins --anthropic-disabled-thinking-effort
      --api-server-count|-asc --attention-backend --attention-config|-ac
      --aux-output-config --block-size --chat-template --chat-template-content-format
      --code-revision --cohere-format --compilation-config|-cc --config --config-format
      --convert --cp-kv-cache-interleave-size --cpu-distributed-timeout-seconds
      --cpu-offload-gb --custom-histogram-buckets --data-parallel-address|-dpa
      --data-parallel-backend|-dpb --data-parallel-rank|-dpn --data-parallel-rpc-port|-dpp
      --data-parallel-size-local|-dpl --data-parallel-size|-dp
      --data-parallel-start-rank|-dpr --data-parallel-supervisor-port
      --dbo-decode-token-threshold --dbo-prefill-token-threshold --dcp-comm-backend
      --dcp-kv-cache-interleave-size --decode-context-parallel-size|-dcp
      --default-chat-template-kwargs --default-mm-loras --device-ids
      --diffusion-config|-dc --disable-access-log-for-endpoints
      --distributed-executor-backend --distributed-timeout-seconds --download-dir
      --dp-supervisor-probe-failure-threshold --dp-supervisor-probe-interval-s
      --dp-supervisor-probe-timeout-s --dp-sync-interval --dtype --ec-manager-config
      --ec-transfer-config --elastic-ep-max-dp-size --engram-config --eplb-config
      --expert-placement-strategy --fault-tolerance-config --fingerprint-mode
      --fingerprint-value --gdn-prefill-backend --generation-config
      --gpu-memory-utilization|--device-memory-utilization --grpc-port
      --h11-max-header-count --h11-max-incomplete-event-size --hf-config-path
      --hf-overrides --host --io-processor-plugin --ir-op-priority --jit-monitor-mode
      --kda-decode-backend --kda-prefill-backend --kernel-config --kv-cache-dtype
      --kv-cache-memory-bytes --kv-cache-metrics-sample --kv-events-config
      --kv-offloading-backend --kv-offloading-size --kv-transfer-config
      --limit-mm-per-prompt --linear-backend --load-format --log-config-file --log-level
      --logging-config --logprobs-mode --long-prefill-token-threshold --lora-dtype
      --mamba-backend --mamba-block-size --mamba-cache-dtype --mamba-cache-mode
      --mamba-cache-philox-rounds --mamba-ssm-cache-dtype --mamba-ssu-algorithm
      --master-addr --master-port --max-cpu-loras --max-cudagraph-capture-size
      --max-log-len --max-logprobs --max-lora-cls-labels --max-lora-rank --max-loras
      --max-model-len --max-num-active-seqs --max-num-batched-tokens --max-num-queued-reqs
      --max-num-queued-tokens --max-num-scheduled-tokens --max-num-seqs
      --max-parallel-loading-workers --media-io-kwargs --middleware
      --mm-encoder-attn-backend --mm-encoder-attn-dtype --mm-encoder-fp8-scale-path
      --mm-encoder-fp8-scale-save-margin --mm-encoder-fp8-scale-save-path
      --mm-encoder-tp-mode --mm-hasher-algorithm --mm-ipc-gpu-memory-gb
      --mm-processor-cache-gb --mm-processor-cache-type --mm-processor-device
      --mm-processor-kwargs --mm-shm-cache-max-object-size-mb --mm-tensor-ipc --model
      --model-class-overrides --model-impl --model-loader-extra-config --moe-backend
      --nnodes|-n --node-rank|-r --num-gpu-blocks-override --offload-backend
      --offload-group-size --offload-num-in-group --offload-prefetch-step
      --optimization-level --otlp-traces-endpoint --override-generation-config
      --per-request-spec-decode-metrics --performance-mode --pipeline-parallel-size|-pp
      --pooler-config --port --prefill-context-parallel-size|-pcp
      --prefill-schedule-interval --prefix-cache-retention-interval
      --prefix-caching-hash-algo --prefix-match-unit --profiler-config
      --pt-load-map-location --quantization-config --quantization|-q --reasoning-config
      --reasoning-effort-map --reasoning-parser --reasoning-parser-plugin
      --renderer-num-workers --replayssm-buffer-len --response-role --revision --root-path
      --runner --safetensors-load-strategy --safetensors-prefetch-block-size
      --safetensors-prefetch-num-threads --scheduler-cls --scheduling-policy --seed
      --show-hidden-metrics-for-version --shutdown-timeout --sleep-mode-backend
      --sparse-indexer-topk-backend --spec-method --spec-model --spec-tokens
      --speculative-config|-sc --sse-keep-alive-interval --ssl-ca-certs --ssl-cert-reqs
      --ssl-certfile --ssl-ciphers --ssl-keyfile --stream-interval
      --structured-outputs-config --tensor-parallel-size|-tp --tokenizer --tokenizer-mode
      --tokenizer-revision --tool-call-parser --tool-parser-plugin --tool-server
      --tool-strict-level --ubatch-size --uds --uvicorn-log-level --video-pruning-method
      --video-pruning-rate --watchdog-config --watermark --watermark-config
      --weight-transfer-config --worker-cls --worker-extension-cls
    `,
    optional: " --hf-token",
    list: `
      --allowed-media-domains --api-key --collect-detailed-traces --cpu-offload-params
      --cudagraph-capture-sizes --ignore-patterns --kv-cache-dtype-skip-layers
      --logits-processors --lora-modules --lora-target-modules --numa-bind-cpus
      --numa-bind-nodes --offload-params --served-model-name
      --sleep-preserve-parameter-names
    `,
  },
  values: {
    "--all2all-backend": `
      allgather_reducescatter deepep_high_throughput deepep_low_latency deepep_v2
      flashinfer_all2allv flashinfer_nvlink_one_sided flashinfer_nvlink_two_sided moonep
      mori_high_throughput mori_low_latency naive nixl_ep passthrough pplx
    `,
    "--anthropic-disabled-thinking-effort": "auto high low max medium none xhigh",
    "--collect-detailed-traces": "all model worker",
    "--convert": "auto classify embed none",
    "--dcp-comm-backend": "a2a ag_rs",
    "--distributed-executor-backend": "external_launcher mp ray uni",
    "--dtype": "auto bfloat16 float float16 float32 half",
    "--expert-placement-strategy": "linear round_robin",
    "--fingerprint-mode": "custom full hash none",
    "--gdn-prefill-backend": "aiter_flydsl cutedsl flashinfer sycl triton",
    "--jit-monitor-mode": "error warn",
    "--kda-decode-backend": "auto flashinfer native triton",
    "--kda-prefill-backend": "auto flashinfer flashkda fused triton",
    "--kv-offloading-backend": "lmcache native",
    "--load-format": `
      auto dummy fastsafetensors hf instanttensor ipc_cache mistral modelexpress npcache
      pt runai_streamer runai_streamer_sharded safetensors sharded_state tensorizer
    `,
    "--log-level": "CRITICAL DEBUG ERROR INFO NOTSET WARNING",
    "--logprobs-mode": `
      processed_logits processed_logprobs raw_logits raw_logprobs
    `,
    "--lora-dtype": "auto bfloat16 float16",
    "--mamba-cache-dtype": "auto bfloat16 float16 float32",
    "--mamba-cache-mode": "align none",
    "--mamba-ssm-cache-dtype": "auto bfloat16 float16 float32",
    "--mamba-ssu-algorithm": "auto horizontal simple vertical",
    "--max-lora-rank": "1 128 16 256 32 320 512 64 8",
    "--mm-encoder-attn-dtype": "fp8",
    "--mm-encoder-tp-mode": "data weights",
    "--mm-hasher-algorithm": "blake3 sha256 sha512",
    "--mm-processor-cache-type": "lru shm",
    "--mm-tensor-ipc": "direct_rpc torch_shm",
    "--offload-backend": "auto prefetch uva",
    "--per-request-spec-decode-metrics": "detailed none summary",
    "--performance-mode": "balanced interactivity throughput",
    "--prefix-caching-hash-algo": "sha256 sha256_cbor xxhash xxhash_cbor",
    "--quantization": `
      auto_awq auto_gptq awq awq_marlin compressed-tensors deepseek_v4_fp8 experts_int8
      fbgemm_fp8 fp8 fp8_per_block fp8_per_channel fp8_per_tensor fp_quant gpt_oss_mxfp4
      gptq gptq_marlin humming inc int8_per_channel_weight_only modelopt modelopt_fp4
      modelopt_mixed modelopt_mxfp8 moe_wna16 mxfp4 mxfp8 nvfp4_per_token online quark
      torchao
    `,
    "--reasoning-parser": `
      beam cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4
      deepseek_v41 ernie45 gemma4 glm45 glm47 granite granite_thinking_parser hf holo2
      hunyuan_a13b hy_v3 hy_v4 inkling k2_horizon kimi_k2 kimi_k3 ling3 mimo minicpmv
      minimax_m2 minimax_m2_append_think minimax_m3 mistral muse muse_glimmer musespark1x
      nemotron_v3 olmo3 openai_gptoss plamo3 poolside_v1 qwen3 seed_oss step3 step3p5
      step5
    `,
    "--runner": "auto draft generate pooling",
    "--safetensors-load-strategy": "eager lazy prefetch torchao",
    "--scheduling-policy": "fcfs priority",
    "--spec-method": `
      bailing_hybrid_mtp bailing_hybrid_v3_mtp custom_class deepseek_mtp dflash
      dots3_note_mtp draft_model dspark eagle eagle3 ernie_mtp exaone4_5_mtp
      exaone_moe_mtp extract_hidden_states gemma4_mtp glm4_moe_lite_mtp glm4_moe_mtp
      glm5_next_mtp glm_ocr_mtp hy_v3_mtp hy_v4_mtp inkling_mtp kimi_k3_mtp
      longcat_flash_mtp mimo_mtp mimo_v2_mtp minimax_m3_mtp mtp nemotron_h_mtp ngram
      ngram_gpu pangu_ultra_moe_mtp qwen3_5_mtp qwen3_next_mtp qwen4_exp_mtp step3p5_mtp
      step5_mtp suffix
    `,
    "--tool-call-parser": `
      apertus beam cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32
      deepseek_v4 deepseek_v41 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47
      granite granite-20b-fc granite4 hermes hf hunyuan_a13b hy_v3 hy_v4 inkling internlm
      jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic
      longcat mimo minicpm5 minimax_m2 minimax_m3 mistral muse muse_glimmer musespark1x
      olmo3 openai phi4_mini_json plamo3 poolside_v1 pythonic qwen3_coder qwen3_json
      qwen3_xml seed_oss step3 step3p5 step5 xlam
    `,
    "--uvicorn-log-level": "critical debug error info trace warning",
    "--video-pruning-method": "evs vidcom2",
  },
  limits: {
    count: "--kv-cache-memory-bytes",
    "count >=-1": "--max-model-len",
    "count >=0": "--max-num-queued-tokens",
    "count >=1": `
      --max-num-batched-tokens --max-num-scheduled-tokens
      --safetensors-prefetch-block-size
    `,
    float: `
      --dp-supervisor-probe-interval-s --dp-supervisor-probe-timeout-s
      --kv-offloading-size
    `,
    "float >0 <=1": "--gpu-memory-utilization --kv-cache-metrics-sample",
    "float >0.0": "--mm-encoder-fp8-scale-save-margin",
    "float >=0": `
      --cpu-offload-gb --mm-ipc-gpu-memory-gb --mm-processor-cache-gb
    `,
    "float >=0.0 <1.0": "--video-pruning-rate --watermark",
    int: `
      --cp-kv-cache-interleave-size --cpu-distributed-timeout-seconds
      --data-parallel-supervisor-port --dcp-kv-cache-interleave-size
      --distributed-timeout-seconds --dp-supervisor-probe-failure-threshold --grpc-port
      --h11-max-header-count --h11-max-incomplete-event-size --mamba-cache-philox-rounds
      --master-port --max-cpu-loras --max-cudagraph-capture-size --max-log-len
      --num-gpu-blocks-override --port --renderer-num-workers --seed
      --sse-keep-alive-interval --ssl-cert-reqs
    `,
    "int >0": `
      --block-size --mamba-block-size --prefix-match-unit --replayssm-buffer-len
      --spec-tokens
    `,
    "int >=-1": "--max-logprobs",
    "int >=0": `
      --dbo-decode-token-threshold --dbo-prefill-token-threshold
      --long-prefill-token-threshold --max-num-queued-reqs
      --mm-shm-cache-max-object-size-mb --node-rank --offload-group-size
      --offload-prefetch-step --prefix-cache-retention-interval --ubatch-size
    `,
    "int >=1": `
      --data-parallel-size --decode-context-parallel-size --dp-sync-interval
      --elastic-ep-max-dp-size --max-lora-cls-labels --max-loras --max-num-active-seqs
      --max-num-seqs --max-parallel-loading-workers --nnodes --offload-num-in-group
      --pipeline-parallel-size --prefill-context-parallel-size --prefill-schedule-interval
      --safetensors-prefetch-num-threads --stream-interval --tensor-parallel-size
    `,
    json: `
      --attention-config --aux-output-config --compilation-config
      --custom-histogram-buckets --default-chat-template-kwargs --default-mm-loras
      --diffusion-config --ec-manager-config --ec-transfer-config --engram-config
      --eplb-config --fault-tolerance-config --ir-op-priority --kernel-config
      --kv-events-config --kv-transfer-config --media-io-kwargs --mm-processor-kwargs
      --model-class-overrides --override-generation-config --pooler-config
      --profiler-config --quantization-config --reasoning-config --reasoning-effort-map
      --speculative-config --structured-outputs-config --watchdog-config
      --watermark-config --weight-transfer-config
    `,
    "json|text": `
      --additional-config --model-loader-extra-config --pt-load-map-location
    `,
  },
  variables: `
    VLLM_ADAPTIVE_VERIFICATION_PROFILE_CONTEXT_LEN
    VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE VLLM_ALLOW_INSECURE_SERIALIZATION
    VLLM_ALLOW_LONG_MAX_MODEL_LEN VLLM_ALLOW_RUNTIME_LORA_UPDATING
    VLLM_ALLREDUCE_USE_FLASHINFER VLLM_ALLREDUCE_USE_FLASHINFER_PCIE_IPC
    VLLM_ALLREDUCE_USE_SYMM_MEM VLLM_API_KEY VLLM_ASSETS_CACHE
    VLLM_ASSETS_CACHE_MODEL_CLEAN VLLM_AUDIO_FETCH_TIMEOUT VLLM_B12X_MOE_FP4_FORCE_A16
    VLLM_BATCH_INVARIANT VLLM_BEAM_ALWAYS_CONSTRAIN_OUTPUT
    VLLM_BLOCKSCALE_FP8_GEMM_FLASHINFER VLLM_BUILD_COMMIT VLLM_BUILD_PIPELINE
    VLLM_BUILD_URL VLLM_CACHE_ROOT VLLM_CHAT_TEMPLATE_FUEL
    VLLM_CHAT_TEMPLATE_RENDER_TIMEOUT VLLM_COHERE2_ATTN_MOE_DUAL_STREAM_TOKEN_THRESHOLD
    VLLM_COMPILE_CACHE_SAVE_FORMAT VLLM_COMPUTE_NANS_IN_LOGITS VLLM_CONFIGURE_LOGGING
    VLLM_CONFIG_ROOT VLLM_CPU_ATTN_SPLIT_KV VLLM_CPU_CI_ENV VLLM_CPU_INT4_W4A8
    VLLM_CPU_KVCACHE_SPACE VLLM_CPU_MOE_PREPACK VLLM_CPU_NUM_OF_RESERVED_CPU
    VLLM_CPU_OMP_THREADS_BIND VLLM_CPU_SIM_MULTI_NUMA VLLM_CUDART_SO_PATH
    VLLM_CUDA_COMPATIBILITY_PATH VLLM_CUSTOM_ALLREDUCE_ALGO
    VLLM_CUSTOM_SCOPES_FOR_PROFILING VLLM_CUTLASS VLLM_DBO_COMM_SMS VLLM_DCP_Q_REPLICATE
    VLLM_DEBUG_DUMP_PATH VLLM_DEBUG_LOG_API_SERVER_RESPONSE VLLM_DEBUG_MFU_METRICS
    VLLM_DEBUG_WORKSPACE VLLM_DEEPEPLL_NVFP4_DISPATCH VLLM_DEEPEP_BUFFER_SIZE_MB
    VLLM_DEEPEP_HIGH_THROUGHPUT_FORCE_INTRA_NODE VLLM_DEEPEP_LOW_LATENCY_USE_MNNVL
    VLLM_DEEPEP_V2_ALLOW_HYBRID_MODE VLLM_DEEPEP_V2_ALLOW_MULTIPLE_REDUCTION
    VLLM_DEEPEP_V2_PREFER_OVERLAP VLLM_DEEP_GEMM_WARMUP
    VLLM_DEVICE_CONTROL_ENV_VAR_PLACEHOLDER VLLM_DISABLED_KERNELS
    VLLM_DISABLE_COMPILE_CACHE VLLM_DISABLE_DSV4_MEGAMOE_SHARED_EXPERT_FUSION
    VLLM_DISABLE_LOG_LOGO VLLM_DISABLE_PYNCCL VLLM_DISABLE_REQUEST_ID_RANDOMIZATION
    VLLM_DISABLE_SHARED_EXPERTS_STREAM VLLM_DISTRIBUTED_USE_SPLIT_GROUP VLLM_DIST_IDENT
    VLLM_DOCKER_BUILD_CONTEXT VLLM_DO_NOT_TRACK VLLM_DP_MASTER_IP VLLM_DP_MASTER_PORT
    VLLM_DP_RANK VLLM_DP_RANK_LOCAL VLLM_DP_SIZE VLLM_EC_SIDE_CHANNEL_HOST
    VLLM_EC_SIDE_CHANNEL_PORT VLLM_ELASTIC_EP_DRAIN_REQUESTS
    VLLM_ELASTIC_EP_SCALE_UP_LAUNCH VLLM_ENABLE_COHERE_API VLLM_ENABLE_CUDAGRAPH_GC
    VLLM_ENABLE_CUDA_COMPATIBILITY VLLM_ENABLE_FLA_PACKED_RECURRENT_DECODE
    VLLM_ENABLE_GEMM_RS VLLM_ENABLE_HPC_OPS VLLM_ENABLE_INDUCTOR_COORDINATE_DESCENT_TUNING
    VLLM_ENABLE_INDUCTOR_MAX_AUTOTUNE VLLM_ENABLE_PREGRAD_PASSES
    VLLM_ENABLE_RESPONSES_API_STORE VLLM_ENABLE_STARTUP_PLAN
    VLLM_ENABLE_V1_MULTIPROCESSING VLLM_ENFORCE_STRICT_TOOL_CALLING
    VLLM_ENGINE_READY_TIMEOUT_S VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS
    VLLM_FASTSAFETENSORS_QUEUE_SIZE VLLM_FLASHINFER_ALLREDUCE_BACKEND
    VLLM_FLASHINFER_AUTOTUNE_CACHE_DIR VLLM_FLASHINFER_AUTOTUNE_SKIP_OPS
    VLLM_FLASHINFER_MOE_A2A_LOW_PRECISION_COMBINE VLLM_FLASHINFER_WORKSPACE_BUFFER_SIZE
    VLLM_FLOAT32_MATMUL_PRECISION VLLM_FORCE_AOT_LOAD VLLM_GC_DEBUG VLLM_GDN_DECODE_KERNEL
    VLLM_GPT_OSS_HARMONY_SYSTEM_INSTRUCTIONS VLLM_GPT_OSS_SYSTEM_TOOL_MCP_LABELS
    VLLM_GPU_NIC_PCIE_MAPPING VLLM_GPU_SYNC_CHECK VLLM_HAS_FLASHINFER_CUBIN VLLM_HOST_IP
    VLLM_HOST_PORT VLLM_HTTP_MAX_REQUEST_BODY_SIZE VLLM_HTTP_TIMEOUT_KEEP_ALIVE
    VLLM_HUMMING_INPUT_QUANT_CONFIG VLLM_HUMMING_MOE_GEMM_TYPE
    VLLM_HUMMING_ONLINE_QUANT_CONFIG VLLM_HUMMING_USE_F16_ACCUM VLLM_IMAGE_FETCH_TIMEOUT
    VLLM_IMAGE_TAG VLLM_KEEP_ALIVE_ON_ENGINE_DEATH VLLM_KIMI_K3_AUX_ATTN_RES_STREAM
    VLLM_KIMI_K3_GEMM_AR VLLM_KIMI_K3_SHARD_SP_SHARED_EXPERT VLLM_KV_CACHE_LAYOUT
    VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES VLLM_KV_OFFLOAD_MAX_BATCH_DESCRIPTORS
    VLLM_LOGGING_COLOR VLLM_LOGGING_CONFIG_PATH VLLM_LOGGING_LEVEL VLLM_LOGGING_PREFIX
    VLLM_LOGGING_STREAM VLLM_LOG_BATCHSIZE_INTERVAL VLLM_LOG_MODEL_INSPECTION
    VLLM_LOG_STATS_INTERVAL VLLM_LOOPBACK_IP VLLM_LORA_DISABLE_PDL
    VLLM_LORA_ENABLE_DUAL_STREAM VLLM_LORA_RESOLVER_CACHE_DIR
    VLLM_LORA_RESOLVER_HF_REPO_LIST VLLM_MAIN_CUDA_VERSION VLLM_MARLIN_INPUT_DTYPE
    VLLM_MARLIN_USE_ATOMIC_ADD VLLM_MAX_AUDIO_CLIP_FILESIZE_MB VLLM_MAX_AUDIO_DECODE_BYTES
    VLLM_MAX_AUDIO_DECODE_DURATION_S VLLM_MAX_AUDIO_PREPROCESS_WORKERS
    VLLM_MAX_BAD_WORDS_TOTAL_TOKENS VLLM_MAX_COMPLETION_PROMPTS
    VLLM_MAX_EMBED_DECODE_BYTES VLLM_MAX_IMAGE_PIXELS VLLM_MAX_MEDIA_DOWNLOAD_SIZE_MB
    VLLM_MAX_MEDIA_REQUEST_DECODE_BYTES VLLM_MAX_MEDIA_REQUEST_DOWNLOAD_SIZE_MB
    VLLM_MAX_NUM_BAD_WORDS VLLM_MAX_N_SEQUENCES VLLM_MAX_STOP_STRINGS
    VLLM_MAX_TOKENS_PER_EXPERT_FP4_MOE VLLM_MEDIA_CACHE VLLM_MEDIA_CACHE_MAX_SIZE_MB
    VLLM_MEDIA_CACHE_TTL_HOURS VLLM_MEDIA_CONNECTOR VLLM_MEDIA_FETCH_MAX_RETRIES
    VLLM_MEDIA_LOADING_THREAD_COUNT VLLM_MEDIA_URL_ALLOW_REDIRECTS
    VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS VLLM_MINIMAX_M3_MSA_CUTLASS_MIN_BATCH
    VLLM_MLA_DISABLE VLLM_MODEL_REDIRECT_PATH VLLM_MOE_ROUTING_SIMULATION_STRATEGY
    VLLM_MOE_SKIP_PADDING VLLM_MOE_USE_DEEP_GEMM VLLM_MOONCAKE_ABORT_REQUEST_TIMEOUT
    VLLM_MOONCAKE_BOOTSTRAP_PORT VLLM_MOONCAKE_CONNECTOR_TIMEOUT
    VLLM_MOONCAKE_DISK_STAGING_USABLE_RATIO VLLM_MOONCAKE_LOAD_RECV_THREADS
    VLLM_MOONCAKE_STORE_TIER_LOG VLLM_MORIIO_CONNECTOR_READ_MODE VLLM_MORIIO_NUM_WORKERS
    VLLM_MORIIO_POST_BATCH_SIZE VLLM_MORIIO_QP_PER_TRANSFER VLLM_MORIIO_TRANSFER_TIMEOUT_S
    VLLM_MQ_MAX_CHUNK_BYTES_MB VLLM_MSGPACK_ZERO_COPY_THRESHOLD
    VLLM_MULTI_STREAM_GEMM_TOKEN_THRESHOLD VLLM_MXFP4_EMULATION_DEQUANT_AT_LOAD
    VLLM_MXFP8_EMULATION_DEQUANT_AT_LOAD VLLM_NCCL_INCLUDE_PATH VLLM_NCCL_SO_PATH
    VLLM_NIC_SELECTION_VARS VLLM_NIXL_SIDE_CHANNEL_HOST VLLM_NIXL_SIDE_CHANNEL_PORT
    VLLM_NO_USAGE_STATS VLLM_NVTX_SCOPES_FOR_PROFILING VLLM_OBJECT_STORAGE_SHM_BUFFER
    VLLM_OBJECT_STORAGE_SHM_BUFFER_NAME VLLM_OMP_NUM_THREADS_SET_BY_VLLM
    VLLM_P2P_HANDSHAKE_TIMEOUT_S VLLM_P2P_IDLE_TIMEOUT_S VLLM_P2P_MAX_PEERS
    VLLM_P2P_SIDE_CHANNEL_HOST VLLM_P2P_SIDE_CHANNEL_PORT VLLM_PATTERN_MATCH_DEBUG
    VLLM_PLUGINS VLLM_PORT VLLM_PP_LAYER_PARTITION VLLM_PRECOMPILED_WHEEL_LOCATION
    VLLM_PROCESS_NAME_PREFIX VLLM_RAISE_ON_LOGIT_NANS VLLM_RANDOMIZE_DP_DUMMY_INPUTS
    VLLM_RAY_BUNDLE_INDICES VLLM_RAY_DP_PACK_STRATEGY VLLM_RAY_DP_PLACEMENT_NODE_IPS
    VLLM_RAY_EXTRA_ENV_VARS_TO_COPY VLLM_RAY_EXTRA_ENV_VAR_PREFIXES_TO_COPY
    VLLM_RAY_PER_WORKER_GPUS VLLM_REGEX_COMPILATION_TIMEOUT_S VLLM_REPLICATE_EMBED
    VLLM_REQUEST_BODY_LOG_LEVEL VLLM_RINGBUFFER_WARNING_INTERVAL
    VLLM_ROCM_AITER_MLA_ASM_PADDING VLLM_ROCM_AITER_MOE_DISPATCH_POLICY
    VLLM_ROCM_FP8_MFMA_PAGE_ATTN VLLM_ROCM_FP8_PADDING VLLM_ROCM_MOE_PADDING
    VLLM_ROCM_MUSE_MOE_ONLINE_QUANT VLLM_ROCM_MUSE_MOE_REDUCE_DTYPE
    VLLM_ROCM_QUICK_REDUCE_CAST_BF16_TO_FP16 VLLM_ROCM_QUICK_REDUCE_MAX_SIZE_BYTES_MB
    VLLM_ROCM_QUICK_REDUCE_MIN_SIZE_BYTES_MB VLLM_ROCM_QUICK_REDUCE_QUANTIZATION
    VLLM_ROCM_QUICK_REDUCE_QUANTIZATION_MIN_SIZE_KB VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT
    VLLM_ROCM_SLEEP_MEM_CHUNK_SIZE VLLM_ROCM_USE_AITER VLLM_ROCM_USE_AITER_CUSTOM_AR
    VLLM_ROCM_USE_AITER_FP4BMM VLLM_ROCM_USE_AITER_FP8BMM
    VLLM_ROCM_USE_AITER_FUSION_SHARED_EXPERTS VLLM_ROCM_USE_AITER_LINEAR
    VLLM_ROCM_USE_AITER_LINEAR_HIPBMM VLLM_ROCM_USE_AITER_MHA VLLM_ROCM_USE_AITER_MLA
    VLLM_ROCM_USE_AITER_MOE VLLM_ROCM_USE_AITER_MOE_A4W4_DSV4
    VLLM_ROCM_USE_AITER_MOE_SITUV2 VLLM_ROCM_USE_AITER_RMSNORM
    VLLM_ROCM_USE_AITER_TRITON_GEMM VLLM_ROCM_USE_AITER_TRITON_ROPE
    VLLM_ROCM_USE_AITER_TRITON_SPARSE_MLA VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION
    VLLM_ROCM_USE_SKINNY_GEMM VLLM_RPC_BASE_PATH VLLM_RUST_FRONTEND_PATH
    VLLM_SERVER_DEV_MODE VLLM_SHARED_EXPERTS_STREAM_TOKEN_THRESHOLD
    VLLM_SKIP_MODEL_NAME_VALIDATION VLLM_SKIP_P2P_CHECK
    VLLM_SKIP_PRECOMPILED_VERSION_SUFFIX VLLM_SKIP_VERSION_SUFFIX
    VLLM_SNAPSHOT_IGNORED_FD_MAP VLLM_SNAPSHOT_TIMEOUT_S VLLM_SPARSE_INDEXER_MAX_LOGITS_MB
    VLLM_SSM_CONV_STATE_LAYOUT VLLM_STEP5_SHARD_SP_SHARED_EXPERT VLLM_SYSTEM_START_DATE
    VLLM_TARGET_DEVICE VLLM_TEST_FORCE_LOAD_FORMAT VLLM_TOOL_JSON_ERROR_AUTOMATIC_RETRY
    VLLM_TOOL_PARSE_REGEX_TIMEOUT_SECONDS VLLM_TPU_USING_PATHWAYS VLLM_TRACE_FUNCTION
    VLLM_TRITON_FORCE_FIRST_CONFIG VLLM_TRITON_JIT_WARMUP_NUM_THREADS VLLM_TRITON_USE_TD
    VLLM_TUNED_CONFIG_FOLDER VLLM_USAGE_SOURCE VLLM_USAGE_STATS_SERVER
    VLLM_USE_AOT_COMPILE VLLM_USE_BREAKABLE_CUDAGRAPH VLLM_USE_BYTECODE_HOOK
    VLLM_USE_DEEP_GEMM VLLM_USE_DEEP_GEMM_E8M0 VLLM_USE_DEEP_GEMM_TMA_ALIGNED_SCALES
    VLLM_USE_DIRECT_DCP_A2A VLLM_USE_DIRECT_DCP_KV_GATHER VLLM_USE_DIRECT_DCP_Q_GATHER
    VLLM_USE_EXPERIMENTAL_PARSER_CONTEXT VLLM_USE_FASTOKENS VLLM_USE_FLASHINFER_MOE_INT4
    VLLM_USE_FLASHINFER_SAMPLER VLLM_USE_FUSED_MOE_GROUPED_TOPK VLLM_USE_HW_AGNOSTIC
    VLLM_USE_LAYERNAME VLLM_USE_MEGA_AOT_ARTIFACT VLLM_USE_MODELSCOPE
    VLLM_USE_NCCL_SYMM_MEM VLLM_USE_OINK_OPS VLLM_USE_PRECOMPILED
    VLLM_USE_PRECOMPILED_RUST VLLM_USE_RUST_BENCH VLLM_USE_RUST_FRONTEND
    VLLM_USE_SIMPLE_KV_OFFLOAD VLLM_USE_SPINLOOP_EXT VLLM_USE_STANDALONE_COMPILE
    VLLM_USE_TRITON_AWQ VLLM_USE_V2_MODEL_RUNNER VLLM_V1_OUTPUT_PROC_CHUNK_SIZE
    VLLM_V1_USE_OUTLINES_CACHE VLLM_VIDEO_FETCH_TIMEOUT VLLM_VIDEO_LOADER_BACKEND
    VLLM_WEIGHT_OFFLOADING_DISABLE_PIN_MEMORY VLLM_WEIGHT_OFFLOADING_DISABLE_UVA
    VLLM_WORKER_MULTIPROC_METHOD VLLM_WORKER_SHUTDOWN_TIMEOUT_SECONDS
    VLLM_WSL2_ENABLE_PIN_MEMORY VLLM_XGRAMMAR_CACHE_MB VLLM_XLA_CACHE_PATH
    VLLM_XLA_CHECK_RECOMPILATION VLLM_XLA_USE_SPMD VLLM_XPU_FORCE_N_CONTIG_WEIGHT
    VLLM_XPU_INC_WNA16_BACKEND VLLM_XPU_PP_MICROBATCH VLLM_XPU_USE_SAMPLER_KERNEL
    VLLM_ZENTORCH_WEIGHT_PREPACK
  `,
  connectors: `
    DecodeBenchConnector ExampleConnector ExampleHiddenStatesConnector FlexKVConnectorV1
    HF3FSKVConnector HiSparseConnector LMCacheConnectorV1 LMCacheMPConnector
    MoRIIOConnector MooncakeConnector MooncakeStoreConnector MultiConnector NixlConnector
    NixlPullConnector NixlPushConnector OffloadingConnector SimpleCPUOffloadConnector
  `,
  architectures: `
    AXK1ForCausalLM AfmoeForCausalLM AliceAIForCausalLM Alpamayo2Super ApertusForCausalLM
    AriaForConditionalGeneration AudioFlamingo3ForConditionalGeneration
    BagelForConditionalGeneration BailingMoeForCausalLM BailingMoeV25MTPModel
    BailingMoeV2ForCausalLM BailingMoeV2_5ForCausalLM BailingMoeV3ForCausalLM
    BailingMoeV3MTPModel BailingMoeV3VLForConditionalGeneration BeamForCausalLM
    BeeForConditionalGeneration BertForMaskedLM BertForSequenceClassification
    BertForTokenClassification BertModel BertSpladeSparseEmbeddingModel
    BgeM3EmbeddingModel Blip2ForConditionalGeneration BloomForCausalLM CLIPModel
    ChatGLMForConditionalGeneration ChatGLMModel ClefFlashForJointSchema
    ClefOmniForJointSchema Cohere2ForCausalLM Cohere2MoeForCausalLM
    Cohere2VisionForConditionalGeneration CohereAsrForConditionalGeneration
    CohereCompassForConditionalGeneration CohereForCausalLM ColBERTJinaRobertaModel
    ColBERTLfm2Model ColBERTModernBertModel ColModernVBertForRetrieval ColPaliForRetrieval
    ColQwen3 ColQwen3_5 ColUltraVBertForRetrieval Cosmos3EdgeForConditionalGeneration
    Cosmos3ForConditionalGeneration D3ForSequenceClassification DFlash2BeamDraftModel
    DFlash2DraftModel DFlashDraftModel DFlashLagunaForCausalLM
    DFlashMuseGlimmerAssistantModel DFlashQwen3XPressModel DSparkDraftModel
    DSparkV41DraftModel DbrxForCausalLM DeciLMForCausalLM DeepSeekMTPModel
    DeepSeekV4MTPModel DeepseekForCausalLM DeepseekOCR2ForCausalLM DeepseekOCRForCausalLM
    DeepseekV2ForCausalLM DeepseekV32ForCausalLM DeepseekV32MTPModel
    DeepseekV3BidirectionalModel DeepseekV3ForCausalLM DeepseekV41ForCausalLM
    DeepseekV4ForCausalLM DeepseekV4ForConditionalGeneration DeepseekVLV2ForCausalLM
    DiffusionGemmaForBlockDiffusion DomynEdgeForCausalLM DoryForCausalLM
    Dots3NoteForCausalLM Dots3NoteMTPModel DotsOCRForCausalLM
    Eagle2_5_VLForConditionalGeneration Eagle3DeepseekV2ForCausalLM
    Eagle3DeepseekV3ForCausalLM Eagle3LlamaForCausalLM Eagle3MiniMaxM2ForCausalLM
    Eagle3Qwen2_5vlForCausalLM Eagle3Qwen3ForCausalLM Eagle3Qwen3vlForCausalLM
    EagleCohereForCausalLM EagleDeepSeekMTPModel EagleLlama4ForCausalLM
    EagleLlamaForCausalLM EagleMiniCPMForCausalLM EagleMistralForCausalLM
    EagleMistralLarge3ForCausalLM EmbeddingGemma2Model Ernie4_5ForCausalLM
    Ernie4_5_MoeForCausalLM Ernie4_5_VLMoeForConditionalGeneration ErnieMTPModel
    Exaone4ForCausalLM Exaone4_5_ForConditionalGeneration Exaone4_5_MTP ExaoneForCausalLM
    ExaoneMoEForCausalLM ExaoneMoeForCausalLM ExaoneMoeMTP ExtractHiddenStatesModel
    FalconForCausalLM FalconH1ForCausalLM FalconMambaForCausalLM
    FireRedASR2ForConditionalGeneration FlintForCausalLM FunASRForConditionalGeneration
    FunAudioChatForConditionalGeneration GLM4VForCausalLM GPT2ForSequenceClassification
    GPT2LMHeadModel GPTJForCausalLM Gemma2ForCausalLM Gemma2Model Gemma3ForCausalLM
    Gemma3ForConditionalGeneration Gemma3TextModel Gemma3nForCausalLM
    Gemma3nForConditionalGeneration Gemma4DSparkModel Gemma4ForCausalLM
    Gemma4ForConditionalGeneration Gemma4MTPModel Gemma4UnifiedForConditionalGeneration
    GemmaForCausalLM Glm4ForCausalLM Glm4MoeForCausalLM Glm4MoeLiteForCausalLM
    Glm4MoeLiteMTPModel Glm4MoeMTPModel Glm4vForConditionalGeneration
    Glm4vMoeForConditionalGeneration Glm5NextForCausalLM Glm5NextForConditionalGeneration
    Glm5NextMTPModel GlmAsrForConditionalGeneration GlmMoeDsaForCausalLM
    GlmOcrForConditionalGeneration GlmOcrMTPModel GptOssForCausalLM
    Granite4VisionForConditionalGeneration GraniteForCausalLM GraniteMoeForCausalLM
    GraniteMoeHybridForCausalLM GraniteMoeSWAForCausalLM GraniteMoeSharedForCausalLM
    GraniteSWAForCausalLM GraniteSpeechForConditionalGeneration
    GraniteSpeechPlusForConditionalGeneration GteModel GteNewForSequenceClassification
    GteNewModel H2OVLChatModel HCXVisionV2ForCausalLM HF_ColBERT HYV3ForCausalLM
    HYV3MTPModel HYV4ForCausalLM HYV4MTPModel HfMoondream HrmTextForCausalLM
    HyperCLOVAXForCausalLM IQuestCoderForCausalLM IQuestLoopCoderForCausalLM
    Idefics3ForConditionalGeneration InklingForCausalLM InklingForConditionalGeneration
    InklingMTPModel InternLM2ForCausalLM InternLM2ForRewardModel InternLM3ForCausalLM
    InternS1ForConditionalGeneration InternS1ProForConditionalGeneration
    InternS2MobiusForConditionalGeneration InternS2MobiusMTP
    InternS2PreviewForConditionalGeneration InternVLChatModel
    InternVLForConditionalGeneration IsaacForConditionalGeneration JambaForCausalLM
    JambaForSequenceClassification JinaEmbeddingsV5Model JinaForRanking JinaVLForRanking
    K2HorizonForCausalLM K3DSparkModel KananaVForConditionalGeneration
    KeyeForConditionalGeneration KeyeVL1_5ForConditionalGeneration
    KimiK25ForConditionalGeneration KimiK3ForConditionalGeneration KimiK3MTPModel
    KimiLinearForCausalLM KimiVLForConditionalGeneration LLaMAForCausalLM
    LagunaForCausalLM Lfm2BidirectionalModel Lfm2ForCausalLM Lfm2MoeForCausalLM
    Lfm2VlForConditionalGeneration LiLiCorrDraftModel LightOnOCRForConditionalGeneration
    Llama4ForCausalLM Llama4ForConditionalGeneration
    LlamaBidirectionalForSequenceClassification LlamaBidirectionalModel LlamaForCausalLM
    LlamaForCausalLMEagle3 LlamaModel LlamaNemotronVLForSequenceClassification
    LlamaNemotronVLModel Llama_Nemotron_Nano_VL LlavaForConditionalGeneration
    LlavaNextForConditionalGeneration LlavaNextVideoForConditionalGeneration
    LlavaOnevision2ForConditionalGeneration LlavaOnevisionForConditionalGeneration
    LongCatFlashMTPModel LongcatFlashForCausalLM LongcatFlashNgramForCausalLM
    Mamba2ForCausalLM MambaForCausalLM MiDashengLMModel MiMoForCausalLM MiMoMTPModel
    MiMoV2FlashForCausalLM MiMoV2ForCausalLM MiMoV2MTPModel MiMoV2OmniForCausalLM
    MiMoV2OmniMTPModel MiniCPM3ForCausalLM MiniCPMForCausalLM MiniCPMO
    MiniCPMOcrForConditionalGeneration MiniCPMV MiniCPMV4_6ForConditionalGeneration
    MiniCPMV4_7ForConditionalGeneration MiniMaxM2ForCausalLM MiniMaxM3MTP
    MiniMaxM3SparseForCausalLM MiniMaxM3SparseForConditionalGeneration
    Ministral3ForCausalLM Mistral3ForConditionalGeneration MistralForCausalLM
    MistralLarge3ForCausalLM MistralModel MixtralForCausalLM
    ModernBertForSequenceClassification ModernBertForTokenClassification ModernBertModel
    ModernVBertModel Molmo2ForConditionalGeneration MolmoForCausalLM Moondream3ForCausalLM
    MoonshotKimiaForCausalLM MossAudioModel MossTranscribeDiarizeForConditionalGeneration
    MuseGlimmerAssistantModel MuseGlimmerForCausalLM MuseGlimmerForConditionalGeneration
    MuseSparkDSparkModel MuseSparkForConditionalGeneration NVLM_D NemotronForCausalLM
    NemotronHForCausalLM NemotronHMTPModel NemotronHPuzzleForCausalLM
    NemotronH_Nano_Omni_Reasoning_V3 NemotronH_Nano_VL_V2 NemotronH_Omni_Reasoning_V3
    NemotronH_Super_Omni_Reasoning_V3 NemotronParseForConditionalGeneration NomicBertModel
    OPTForCausalLM OlmoHybridForCausalLM OlmoeForCausalLM
    OpenAIPrivacyFilterForTokenClassification OpenCUAForConditionalGeneration
    OpenPanguMTPModel OpenPanguVLForConditionalGeneration OpenVLAForActionPrediction
    OpsColQwen3Model OrionForCausalLM Ovis Ovis2_5 Ovis2_6ForCausalLM
    Ovis2_6_MoeForCausalLM PEagleDraftModel PaddleOCRVLForConditionalGeneration
    PaliGemmaForConditionalGeneration PanguEmbeddedForCausalLM PanguProMoEV2ForCausalLM
    PanguUltraMoEForCausalLM Param2MoEForCausalLM ParseAuxMTPModel PeagleLlamaForCausalLM
    PeagleQwen3ForCausalLM Phi3ForCausalLM Phi3VForCausalLM Phi4ForCausalLMV
    Phi4MMForCausalLM PhiMoEForCausalLM PixtralForConditionalGeneration Plamo3ForCausalLM
    QianfanOCRForConditionalGeneration Qwen2AudioForConditionalGeneration Qwen2ForCausalLM
    Qwen2ForProcessRewardModel Qwen2ForRewardModel Qwen2Model Qwen2MoeForCausalLM
    Qwen2VLForConditionalGeneration Qwen2_5OmniForConditionalGeneration Qwen2_5OmniModel
    Qwen2_5_VLForConditionalGeneration Qwen3ASRForConditionalGeneration
    Qwen3ASRForcedAlignerForTokenClassification Qwen3ASRRealtimeGeneration
    Qwen3DSparkModel Qwen3ForCausalLM Qwen3MoeForCausalLM Qwen3NextForCausalLM
    Qwen3NextMTP Qwen3OmniDSparkModel Qwen3OmniMoeForConditionalGeneration
    Qwen3VLForConditionalGeneration Qwen3VLMoeForConditionalGeneration
    Qwen3VLNemotronEmbedModel Qwen3XPressModel Qwen3_5ForCausalLM
    Qwen3_5ForConditionalGeneration Qwen3_5MTP Qwen3_5MoeForCausalLM
    Qwen3_5MoeForConditionalGeneration Qwen3_5MoeMTP Qwen4ExpForCausalLM
    Qwen4ExpForConditionalGeneration Qwen4ExpMTP RForConditionalGeneration
    RadioMBartPrefixForCausalLM Rnj1ForCausalLM RobertaForMaskedLM
    RobertaForSequenceClassification RobertaForTokenClassification RobertaModel
    SarvamMLAForCausalLM SarvamMoEForCausalLM SiglipModel SkyworkR1VChatModel
    SmolVLMForConditionalGeneration SolarForCausalLM StableLmForCausalLM Step1ForCausalLM
    Step3TextForCausalLM Step3VLForConditionalGeneration Step3p5ForCausalLM Step3p5MTP
    Step3p7ForConditionalGeneration Step5ForCausalLM Step5ForConditionalGeneration
    Step5MTP StepVLForConditionalGeneration TeleChat2ForCausalLM TeleChat3ForCausalLM
    TeleFLMForCausalLM Terratorch UltravoxModel UnlimitedOCRForCausalLM
    VoxtralForConditionalGeneration VoxtralRealtimeGeneration
    VoyageQwen3BidirectionalEmbedModel WhisperForConditionalGeneration
    XLMRobertaForSequenceClassification XLMRobertaForTokenClassification XLMRobertaModel
    Zamba2ForCausalLM
  `,
  unstaged: `
    AliceAIForCausalLM AriaForConditionalGeneration BailingMoeV25MTPModel BertForMaskedLM
    BertForSequenceClassification BertForTokenClassification BertModel
    BertSpladeSparseEmbeddingModel BgeM3EmbeddingModel CLIPModel
    CohereAsrForConditionalGeneration ColBERTJinaRobertaModel ColBERTLfm2Model
    ColBERTModernBertModel ColModernVBertForRetrieval ColUltraVBertForRetrieval
    D3ForSequenceClassification DFlash2BeamDraftModel DFlashLagunaForCausalLM
    DSparkDraftModel DSparkV41DraftModel DeepSeekV4MTPModel
    DiffusionGemmaForBlockDiffusion DomynEdgeForCausalLM DoryForCausalLM
    Eagle3LlamaForCausalLM Eagle3MiniMaxM2ForCausalLM Eagle3Qwen2_5vlForCausalLM
    Eagle3Qwen3vlForCausalLM EagleLlama4ForCausalLM EagleLlamaForCausalLM
    EagleMiniCPMForCausalLM EagleMistralForCausalLM EagleMistralLarge3ForCausalLM
    EmbeddingGemma2Model ErnieMTPModel Exaone4_5_MTP ExaoneMoeMTP ExtractHiddenStatesModel
    FireRedASR2ForConditionalGeneration FunASRForConditionalGeneration
    GPT2ForSequenceClassification Gemma3TextModel Gemma3nForCausalLM
    Gemma3nForConditionalGeneration Gemma4MTPModel Glm4MoeMTPModel Glm5NextMTPModel
    GteModel GteNewForSequenceClassification GteNewModel HF_ColBERT HYV3MTPModel
    HYV4MTPModel HrmTextForCausalLM IQuestLoopCoderForCausalLM
    Idefics3ForConditionalGeneration InklingMTPModel JinaForRanking K3DSparkModel
    KimiK3MTPModel Lfm2BidirectionalModel LlamaBidirectionalForSequenceClassification
    LlamaBidirectionalModel LlamaForCausalLMEagle3 LongCatFlashMTPModel Mamba2ForCausalLM
    MiMoMTPModel MiMoV2MTPModel MiMoV2OmniMTPModel MiniMaxM3MTP
    ModernBertForSequenceClassification ModernBertForTokenClassification ModernBertModel
    ModernVBertModel NemotronH_Nano_Omni_Reasoning_V3 NemotronH_Nano_VL_V2
    NemotronH_Omni_Reasoning_V3 NemotronH_Super_Omni_Reasoning_V3
    NemotronParseForConditionalGeneration NomicBertModel
    OpenAIPrivacyFilterForTokenClassification OpenPanguMTPModel PEagleDraftModel
    PaddleOCRVLForConditionalGeneration ParseAuxMTPModel PeagleLlamaForCausalLM
    Phi4MMForCausalLM Qwen3NextMTP RadioMBartPrefixForCausalLM RobertaForMaskedLM
    RobertaForSequenceClassification RobertaForTokenClassification RobertaModel
    SiglipModel SmolVLMForConditionalGeneration Step3p5MTP Step5MTP Terratorch
    VoyageQwen3BidirectionalEmbedModel WhisperForConditionalGeneration
    XLMRobertaForSequenceClassification XLMRobertaForTokenClassification XLMRobertaModel
    Zamba2ForCausalLM
  `,
};
