import type { ReleaseData } from "../../options/release-data.ts";

/** SGLang 0.5.23. Made by `npm run engine-releases` from the wheel on PyPI. */
export const release: ReleaseData = {
  version: "0.5.23",
  options: {
    switch: `
      --abort-on-priority-when-disabled --allow-auto-truncate
      --checkpoint-engine-wait-weights-before-ready
      --constrained-json-disable-any-whitespace --debug-cuda-graph
      --delete-ckpt-after-loading --disable-aiter-allreduce-fusion-in-decode
      --disable-aiter-allreduce-fusion-in-prefill --disable-attn-tp-gather
      --disable-chunked-prefix-cache --disable-cuda-graph --disable-cuda-graph-padding
      --disable-custom-all-reduce --disable-decode-cuda-graph
      --disable-fast-image-processor --disable-flashinfer-autotune
      --disable-flashinfer-cutlass-moe-fp4-allgather --disable-hybrid-swa-memory
      --disable-outlines-disk-cache --disable-overlap-schedule
      --disable-prefill-cuda-graph --disable-priority-preemption --disable-radix-cache
      --disable-shared-experts-fusion --disable-tokenizer-batch-decode
      --disaggregation-decode-enable-offload-kvcache
      --disaggregation-decode-enable-radix-cache --disaggregation-enable-kv-checksum
      --enable-adaptive-dispatch-to-encoder --enable-aiter-allreduce-fusion
      --enable-amd-monokernel --enable-attn-tp-input-scattered
      --enable-broadcast-mm-inputs-process --enable-cache-report
      --enable-cp-decode-attn-tp --enable-cudagraph-gc --enable-custom-logit-processor
      --enable-deepseek-v4-fp4-indexer --enable-dense-mlp-attn-tp
      --enable-deterministic-inference --enable-dp-attention
      --enable-dp-attention-local-control-broadcast --enable-dp-lm-head
      --enable-draft-weights-cpu-backup --enable-dsa-cache-layer-split
      --enable-dynamic-batch-tokenizer --enable-dynamic-chunking
      --enable-elastic-expert-backup --enable-encoder-swa-bounded-replay --enable-eplb
      --enable-flashinfer-allreduce-fusion --enable-flexkv --enable-forward-pass-metrics
      --enable-fp32-lm-head --enable-fused-moe-sum-all-reduce
      --enable-hierarchical-cache|--enable-hicache --enable-hisparse
      --enable-http-worker-reuseport --enable-http2 --enable-int8-mamba-checkpoint
      --enable-kv-cache-sharding --enable-layernorm-sp --enable-layerwise-nvtx-marker
      --enable-lean-attention --enable-linear-replayssm --enable-linear-replayssm-spec
      --enable-linker-mla-dedup --enable-lmcache --enable-lora
      --enable-lora-overlap-loading --enable-mamba-cache-stochastic-rounding
      --enable-megamoe-for-layernorm-sp --enable-memory-saver --enable-metrics
      --enable-metrics-for-all-schedulers --enable-mfu-metrics --enable-mis
      --enable-mixed-chunk --enable-mm-global-cache --enable-mscclpp
      --enable-multi-layer-eagle --enable-multimodal --enable-nccl-nvls
      --enable-nvidia-megakernel --enable-p2p-check --enable-page-major-kv-layout
      --enable-paged-experts --enable-pd-role-switch --enable-pdmux
      --enable-precise-embedding-interpolation --enable-prefill-cp
      --enable-prefill-delayer --enable-prefix-mm-cache --enable-priority-scheduling
      --enable-profile-cuda-graph --enable-quant-communications
      --enable-request-time-stats-logging --enable-response-store
      --enable-return-aux-hidden-states --enable-return-hidden-states
      --enable-return-indexer-topk --enable-return-routed-experts --enable-scattered-sconv
      --enable-session-radix-cache --enable-shared-experts-attn-tp
      --enable-single-batch-overlap --enable-ssl-refresh --enable-streaming-session
      --enable-strict-thinking --enable-symm-mem --enable-tokenizer-batch-encode
      --enable-torch-compile --enable-torch-compile-debug-mode --enable-torch-symm-mem
      --enable-trace --enable-two-batch-overlap --enable-unified-cache-external-linker
      --enable-unified-memory --enable-w4a4-mxfp4-megamoe --enable-waterfill
      --enable-watermark --enable-weights-cpu-backup --encoder-only
      --enforce-disable-flashinfer-allreduce-fusion --enforce-shared-experts-fusion
      --export-metrics-to-file --flashinfer-mla-disable-ragged --grpc-mode
      --incremental-streaming-output --is-embedding --language-model-only --language-only
      --log-requests --lora-use-virtual-experts --mlx-enable-sampling --pre-warm-nccl
      --prefill-only-disable-kv-cache --quantize-and-serve
      --remote-instance-weight-loader-start-seed-via-transfer-engine --return-input-ids
      --return-output-ids --schedule-low-priority-values-first --show-time-cost
      --skip-server-warmup --skip-tokenizer-init --sleep-on-idle --smg-grpc-mode
      --speculative-adaptive --speculative-dspark-align-verify-tokens-to-graph-tier
      --speculative-use-block-verification --speculative-use-rejection-sampling
      --stream-response-default-include-usage --strip-thinking-cache
      --triton-attention-reduce-in-fp32 --trust-mm-content-hashes --trust-remote-code
      --trust-request-chat-template --use-ray --weight-loader-disable-mmap
      --weight-loader-drop-cache-after-load --weight-loader-prefetch-checkpoints -h|--help
    `,
    boolean: `
      --dcp-replicate-q-proj --dllm-fdfo --enable-decoder-swa-bounded-replay
      --enable-dsa-fused-indexer --enable-fused-qk-norm-rope --enable-tf32-matmul
      --enable-tp-lm-head-all-to-all --experts-shared-outer-loras --lora-strict-loading
      --mm-enable-dp-encoder --ple-offload-embedding
      --speculative-enable-w4a4-mxfp4-megamoe
    `,
    value: `
      --admin-api-key --api-key --asr-max-buffer-seconds --asr-max-concurrent-sessions
      --attention-backend --attn-cp-size|--attention-context-parallel-size
      --attn-dp-size|--attention-data-parallel-size --base-gpu-id --batch-notify-size
      --bf16-gemm-backend --boundary-reduction --c128-page-size --chat-template
      --chunked-prefill-size --completion-template --config
      --constrained-json-max-whitespace-cnt --constrained-json-whitespace-pattern
      --context-length --cp-strategy --cpu-offload-gb --crash-dump-folder
      --cuda-graph-backend-decode --cuda-graph-backend-prefill --cuda-graph-config
      --cuda-graph-max-bs-decode --cuda-graph-max-bs-prefill
      --cuda-graph-max-seq-len-prefill --cuda-graph-prefill-max-context|--context-bucket
      --dcp-comm-backend --dcp-size|--decode-context-parallel-size
      --debug-tensor-dump-input-file --debug-tensor-dump-output-folder
      --decode-attention-backend --decode-log-interval --decoupled-spec-bind-endpoint
      --decoupled-spec-connect-endpoints --decoupled-spec-rank --decoupled-spec-role
      --decrypted-config-file --decrypted-draft-config-file --deepep-config
      --deepep-dispatcher-output-dtype --deepep-mode --deepep-v2-mode
      --default-chat-template-kwargs --default-priority-value --detokenizer-worker-num
      --device --disaggregation-bootstrap-port --disaggregation-decode-allocation-policy
      --disaggregation-decode-extra-slots --disaggregation-decode-host-receive-threshold
      --disaggregation-decode-polling-interval --disaggregation-decode-retraction-backup
      --disaggregation-ib-device --disaggregation-mode --disaggregation-transfer-backend
      --dist-init-addr|--nccl-init-addr --dist-timeout --dllm-algorithm
      --dllm-algorithm-config --download-dir --dp-size|--data-parallel-size
      --dsa-decode-backend --dsa-paged-mqa-logits-backend --dsa-prefill-backend
      --dsa-topk-backend --dsa-triton-union --dsv4-attn-backend --dsv4-prefill-backend
      --dtype --dwdp-size --dynamic-batch-tokenizer-batch-size
      --dynamic-batch-tokenizer-batch-timeout --elastic-ep-backend
      --elastic-ep-initial-size --elastic-ep-join-mode --elastic-ep-join-rank-offset
      --elastic-ep-scale-timeout --encoder-bootstrap-port --encoder-transfer-backend
      --engine-info-bootstrap-port --ep-dispatch-algorithm --ep-num-redundant-experts
      --ep-size|--expert-parallel-size|--ep --eplb-algorithm
      --eplb-min-rebalancing-utilization-threshold --eplb-rebalance-layers-per-chunk
      --eplb-rebalance-num-iterations --expert-balancedness-report-mode
      --expert-distribution-recorder-buffer-size --expert-distribution-recorder-mode
      --export-metrics-to-file-dir --extra-metric-labels --fastapi-root-path
      --file-storage-path --flashinfer-a2a-dispatch-type
      --flashinfer-allreduce-fusion-backend --flashinfer-mxfp4-moe-precision
      --flexkv-config-file --forward-hooks --forward-pass-metrics-ipc-name
      --forward-pass-metrics-worker-id --fp4-gemm-backend --fp8-gemm-backend --fuseep-mode
      --gated-launch-port --gc-warning-threshold-secs --gpu-id-step --grammar-backend
      --grpc-port --grpc-response-timeout-secs --hf-chat-template-name
      --hicache-host-memory-fraction --hicache-host-memory-mode --hicache-io-backend
      --hicache-mem-layout --hicache-ratio --hicache-size --hicache-storage-backend
      --hicache-storage-backend-extra-config --hicache-storage-prefetch-policy
      --hicache-storage-prefetch-retry-max-attempts
      --hicache-storage-prefetch-retry-poll-interval --hicache-write-policy
      --hisparse-config|--hierarchical-sparse-attention-extra-config --host
      --http2-initial-connection-window-size --http2-max-concurrent-streams
      --image-processor-backend --init-expert-location --int8-mamba-ckpt-size
      --json-model-override-args --kt-cpuinfer --kt-max-deferred-experts-per-token
      --kt-method --kt-num-gpu-experts --kt-threadpool-count --kt-weight-path
      --kv-cache-dtype --kv-canary --kv-canary-real-data --kv-canary-sweep-interval
      --kv-events-config --limit-mm-data-per-request --linear-attn-backend
      --linear-attn-decode-backend --linear-attn-prefill-backend
      --linear-attn-verify-backend --linear-replayssm-cache-len --lmcache-config-file
      --load-balance-method --load-format --load-publish-endpoint
      --load-snapshot-publish-interval --log-level --log-level-http --log-requests-format
      --log-requests-level --lora-backend --lora-drain-wait-threshold
      --lora-eviction-policy --mamba-backend --mamba-cache-philox-rounds
      --mamba-full-memory-ratio --mamba-max-states-per-path --mamba-radix-cache-strategy
      --mamba-ssm-dtype --mamba-track-interval --max-ep-size --max-loaded-loras
      --max-lora-chunk-size --max-lora-rank --max-loras-per-batch --max-mamba-cache-size
      --max-prefill-tokens --max-queued-requests --max-running-requests --max-total-tokens
      --media-url-max-file-size-mb --mem-fraction-static --min-free-slots-delay
      --mm-attention-backend --mm-feature-transport --mm-global-cache-backend
      --mm-io-worker-num --mm-preprocess-cache-size-mb --mm-process-config
      --mm-processor-worker-num --model-config-parser --model-impl
      --model-loader-extra-config --model-path|--model --modelexpress-config
      --modelopt-checkpoint-restore-path --modelopt-checkpoint-save-path
      --modelopt-export-path --modelopt-quant --moe-a2a-backend --moe-dense-tp-size
      --moe-dp-size|--moe-data-parallel-size --moe-runner-backend --monokernel-backend
      --mooncake-ib-device --msprobe-dump-config --nccl-port --nnodes --node-rank
      --num-continuous-decode-steps --num-reserved-decode-tokens --offload-group-size
      --offload-mode --offload-num-in-group --offload-prefetch-step
      --optimistic-prefill-attempts --otlp-service-name --otlp-traces-endpoint --page-size
      --paged-experts-num-resident --pdmux-config-path --ple-offload-backend
      --ple-offload-dir --port --pp-async-batch-depth --pp-max-micro-batch-size
      --pp-size|--pipeline-parallel-size --preferred-sampling-params
      --prefill-attention-backend --prefill-decode-interval
      --prefill-decode-interval-min-bs --prefill-delayer-max-delay-ms
      --prefill-delayer-max-delay-passes --prefill-delayer-queue-min-ratio
      --prefill-delayer-token-usage-low-watermark --prefill-kv-cache-dequant-dtype
      --prefill-max-requests --priority-scheduling-preemption-threshold
      --qsa-indexer-dtype --quantization --quantization-param-path --radix-cache-backend
      --radix-eviction-policy --radix-eviction-policy-config --random-seed
      --reasoning-parser --remote-instance-weight-loader-backend
      --remote-instance-weight-loader-seed-instance-ip
      --remote-instance-weight-loader-seed-instance-service-port
      --remote-instance-weight-loader-send-weights-group-ports --retraction-policy
      --return-hidden-states-mode --revision --rl-on-policy-target --rl-quant-profile
      --sampling-backend --sampling-defaults --sampling-mask-max-tokens
      --schedule-conservativeness --schedule-policy --scheduler-recv-interval
      --served-model-name --shared-experts-tp-size --sidecar --sidecar-args --sm-group-num
      --smg-http-sidecar-port|--grpc-http-sidecar-port --soft-watchdog-timeout
      --spec-trace-dir --speculative-accept-threshold-acc
      --speculative-accept-threshold-single --speculative-adaptive-config
      --speculative-algorithm --speculative-attention-mode --speculative-dflash-block-size
      --speculative-domino-candidate-pool-size --speculative-draft-attention-backend
      --speculative-draft-kv-cache-dtype --speculative-draft-load-format
      --speculative-draft-model-path|--speculative-draft-model
      --speculative-draft-model-quantization --speculative-draft-model-revision
      --speculative-draft-sink-size --speculative-draft-window-size
      --speculative-dsa-topk-backend --speculative-dspark-block-size
      --speculative-dspark-confidence-sts-path --speculative-dspark-sps-table-path
      --speculative-eagle-topk --speculative-moe-a2a-backend
      --speculative-moe-runner-backend --speculative-ngram-capacity
      --speculative-ngram-external-corpus-max-tokens
      --speculative-ngram-external-corpus-path --speculative-ngram-external-sam-budget
      --speculative-ngram-match-type --speculative-ngram-max-bfs-breadth
      --speculative-ngram-max-trie-depth --speculative-ngram-min-bfs-breadth
      --speculative-num-draft-tokens --speculative-num-steps --speculative-token-map
      --ssl-ca-certs --ssl-certfile --ssl-keyfile --ssl-keyfile-password
      --startup-weight-load-mode --stream-interval --swa-full-tokens-ratio
      --swa-prefix-tails --tbo-token-distribution-threshold --tokenizer-backend
      --tokenizer-metrics-custom-labels-header --tokenizer-mode --tokenizer-path
      --tokenizer-worker-num --tool-call-parser --tool-server --torch-compile-max-bs
      --tp-size|--tensor-parallel-size --trace-modules --triton-attention-num-kv-splits
      --triton-attention-split-tile-size --unified-cache-external-linker-backend
      --unified-cache-external-linker-config --uno-lora-path --warmups --watchdog-timeout
      --watermark-config --weight-cache-mode --weight-cache-socket --weight-cache-timeout
      --weight-loader-prefetch-num-threads --weight-version
    `,
    optional: "--model-checksum",
    list: `
      --allowed-media-domains --bucket-e2e-request-latency --bucket-inter-token-latency
      --bucket-time-to-first-token --cuda-graph-bs-decode --cuda-graph-bs-prefill
      --custom-weight-loader --debug-tensor-dump-layers --encoder-register-urls
      --encoder-urls --flashinfer-autotune-skip-ops --gc-threshold
      --generation-tokens-buckets --log-requests-target --lora-paths --lora-target-modules
      --numa-node --prefill-delayer-forward-passes-buckets
      --prefill-delayer-wait-seconds-buckets --prompt-tokens-buckets
      --return-aux-hidden-state-layer-ids --tokenizer-metrics-allowed-custom-labels
      --uvicorn-access-log-exclude-prefixes
    `,
  },
  values: {
    "--attention-backend": `
      aiter ascend compressed cutedsl_mla dsa dsv4 fa3 fa4 flashinfer flashmla
      flex_attention hpc_ops intel_amx intel_xpu llada2_cfg_flashinfer minicpm_flashattn
      minicpm_flashinfer nsa qsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla
      wave
    `,
    "--bf16-gemm-backend": "auto cutedsl gemv torch",
    "--boundary-reduction": "ar auto rs rs+rsv rsv",
    "--cp-strategy": "interleave zigzag",
    "--cuda-graph-backend-decode": "breakable disabled full",
    "--cuda-graph-backend-prefill": "breakable disabled full",
    "--dcp-comm-backend": "a2a ag_rs fi_a2a",
    "--decode-attention-backend": `
      aiter ascend compressed cutedsl_mla dsa dsv4 fa3 fa4 flashinfer flashmla
      flex_attention hpc_ops intel_amx intel_xpu llada2_cfg_flashinfer minicpm_flashattn
      minicpm_flashinfer nsa qsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla
      wave
    `,
    "--decoupled-spec-role": "drafter null verifier",
    "--deepep-dispatcher-output-dtype": "auto bf16 fp8 int8 nvfp4",
    "--deepep-mode": "auto low_latency normal",
    "--deepep-v2-mode": "direct hybrid",
    "--disaggregation-decode-allocation-policy": "early prefill_complete",
    "--disaggregation-decode-retraction-backup": "cpu_tensor host_pool none",
    "--disaggregation-mode": "decode null prefill",
    "--disaggregation-transfer-backend": "ascend fake mooncake mooncake_tcp mori nixl",
    "--dsa-decode-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 intel_xpu tilelang triton trtllm
    `,
    "--dsa-paged-mqa-logits-backend": "aiter auto cutedsl deepgemm",
    "--dsa-prefill-backend": `
      aiter fa3 flashinfer_sparse_mla flashmla_auto flashmla_kv flashmla_sparse
      flashmla_sparse_q8 intel_xpu tilelang triton triton_sparse_mla trtllm
    `,
    "--dsa-topk-backend": "flashinfer sgl-kernel torch",
    "--dsa-triton-union": "0 2 4",
    "--dsv4-attn-backend": "auto flashmla flashmla_mega trtllm",
    "--dsv4-prefill-backend": "auto flashmla_sparse flashmla_sparse_q8",
    "--dtype": "auto bfloat16 float float16 float32 half",
    "--elastic-ep-backend": "mooncake nixl none",
    "--elastic-ep-join-mode": "recover scale",
    "--encoder-transfer-backend": "auto mooncake zmq_to_scheduler zmq_to_tokenizer",
    "--ep-dispatch-algorithm": "dynamic fake lp static",
    "--expert-balancedness-report-mode": "both off prometheus server_log",
    "--expert-distribution-recorder-mode": "per_pass per_token stat stat_approx",
    "--flashinfer-a2a-dispatch-type": "auto bf16 mxfp8 nvfp4",
    "--flashinfer-allreduce-fusion-backend": "auto cutedsl mnnvl trtllm",
    "--flashinfer-mxfp4-moe-precision": "bf16 default fp8",
    "--fp4-gemm-backend": `
      auto flashinfer_cudnn flashinfer_cutedsl flashinfer_cutlass flashinfer_trtllm marlin
    `,
    "--fp8-gemm-backend": `
      aiter auto cutlass deep_gemm flashinfer_cutedsl flashinfer_cutlass
      flashinfer_deepgemm flashinfer_trtllm triton
    `,
    "--fuseep-mode": "1 2",
    "--grammar-backend": "llguidance none outlines xgrammar",
    "--hicache-host-memory-mode": "buffer_only cache",
    "--hicache-io-backend": "direct kernel kernel_ascend",
    "--hicache-mem-layout": `
      layer_first page_first page_first_direct page_first_kv_split page_head
    `,
    "--hicache-storage-backend": `
      aibrix dynamic eic file hf3fs mooncake mori nixl npu_memcache seaweedfs shm sim simm
      tensorcast
    `,
    "--hicache-storage-prefetch-policy": "best_effort timeout wait_complete",
    "--hicache-write-policy": "write_back write_through write_through_selective",
    "--image-processor-backend": "auto pil torchvision",
    "--kv-cache-dtype": `
      auto bf16 bfloat16 fp4_mx_block16 fp8_e4m3 fp8_e5m2 mxfp8 nvfp4
    `,
    "--kv-canary": "log none raise",
    "--linear-attn-backend": `
      cutedsl flashinfer flashkda helion intel_xpu nvidia_kda ptx_kda triton
    `,
    "--linear-attn-decode-backend": `
      cutedsl flashinfer flashkda helion intel_xpu nvidia_kda ptx_kda triton
    `,
    "--linear-attn-prefill-backend": `
      cutedsl flashinfer flashkda helion intel_xpu nvidia_kda ptx_kda triton
    `,
    "--linear-attn-verify-backend": `
      cutedsl flashinfer flashkda helion intel_xpu nv_cutedsl nvidia_kda ptx_kda triton
    `,
    "--load-balance-method": `
      auto follow_bootstrap_room round_robin total_requests total_tokens
    `,
    "--load-format": `
      auto bitsandbytes dummy expert_pack fastsafetensors flash_rl gguf instanttensor
      layered mistral npcache presharded private pt remote remote_instance runai_streamer
      safetensors sharded_state
    `,
    "--log-requests-format": "json text",
    "--log-requests-level": "0 1 2 3",
    "--lora-backend": "ascend csgmv torch_native triton triton_v2",
    "--lora-eviction-policy": "fifo lru",
    "--mamba-backend": "flashinfer triton",
    "--mamba-radix-cache-strategy": "auto extra_buffer extra_buffer_lazy no_buffer",
    "--mamba-ssm-dtype": "bfloat16 float16 float32",
    "--max-lora-chunk-size": "128 16 32 64",
    "--mm-attention-backend": `
      aiter_attn amx_attn ascend_attn fa3 fa4 flashinfer_cudnn sdpa triton_attn xpu_attn
    `,
    "--mm-feature-transport": "cpu cuda_ipc cuda_vmm",
    "--mm-global-cache-backend": "mooncake",
    "--moe-a2a-backend": `
      ascend_fuseep ascend_tp deepep deepep_v2 flashinfer flashinfer_megamoe megamoe
      mooncake mori nixl none pplx
    `,
    "--moe-runner-backend": `
      aiter auto cutlass deep_gemm experimental_sgl_marlin experimental_sgl_trtllm
      flashinfer_cutedsl flashinfer_cutlass flashinfer_megamoe flashinfer_mxfp4
      flashinfer_trtllm flashinfer_trtllm_routed hpc_ops humming intel_xpu lora_cutedsl
      lora_marlin lora_triton marlin megamoe triton triton_kernel
    `,
    "--monokernel-backend": "amd",
    "--ple-offload-backend": "file pinned",
    "--prefill-attention-backend": `
      aiter ascend compressed cutedsl_mla dsa dsv4 fa3 fa4 flashinfer flashmla
      flex_attention hpc_ops intel_amx intel_xpu llada2_cfg_flashinfer minicpm_flashattn
      minicpm_flashinfer nsa qsa tokenspeed_mla torch_native triton trtllm_mha trtllm_mla
      wave
    `,
    "--prefill-kv-cache-dequant-dtype": "auto fp8_e4m3 nvfp4",
    "--qsa-indexer-dtype": "auto bfloat16 fp8_e4m3",
    "--quantization": `
      auto-round auto-round-int8 awq awq_marlin bitsandbytes compressed-tensors fp8 gguf
      gptq gptq_marlin humming mlx_q4 mlx_q8 modelopt modelopt_fp4 modelopt_fp8
      modelopt_mixed modelslim moe_wna16 mxfp4 mxfp8 mxfp_w4a8 nvfp4_online petit_nvfp4
      quark quark_int4fp8_moe quark_mxfp4 unquant w4afp8 w8a8_fp8 w8a8_int8
    `,
    "--radix-eviction-policy": "lfu lru priority slru tlru",
    "--remote-instance-weight-loader-backend": "modelexpress nccl transfer_engine",
    "--retraction-policy": "length priority",
    "--return-hidden-states-mode": "full last",
    "--rl-on-policy-target": "fsdp",
    "--sampling-defaults": "model openai",
    "--schedule-policy": `
      dfs-weight fcfs hrrn lof lpm priority random routing-key shortest-prefill-first
    `,
    "--speculative-attention-mode": "decode prefill",
    "--speculative-draft-kv-cache-dtype": "auto bf16 bfloat16 fp8_e4m3 fp8_e5m2",
    "--speculative-draft-load-format": `
      auto bitsandbytes dummy expert_pack fastsafetensors flash_rl gguf instanttensor
      layered mistral npcache presharded private pt remote remote_instance runai_streamer
      safetensors sharded_state
    `,
    "--speculative-draft-model-quantization": `
      auto-round auto-round-int8 awq awq_marlin bitsandbytes compressed-tensors fp8 gguf
      gptq gptq_marlin humming mlx_q4 mlx_q8 modelopt modelopt_fp4 modelopt_fp8
      modelopt_mixed modelslim moe_wna16 mxfp4 mxfp8 mxfp_w4a8 nvfp4_online petit_nvfp4
      quark quark_int4fp8_moe quark_mxfp4 unquant w4afp8 w8a8_fp8 w8a8_int8
    `,
    "--speculative-dsa-topk-backend": "flashinfer sgl-kernel torch",
    "--speculative-moe-a2a-backend": `
      ascend_fuseep ascend_tp deepep deepep_v2 flashinfer megamoe mooncake mori nixl none
      pplx
    `,
    "--speculative-moe-runner-backend": `
      aiter auto cutlass deep_gemm experimental_sgl_marlin experimental_sgl_trtllm
      flashinfer_cutedsl flashinfer_cutlass flashinfer_megamoe flashinfer_mxfp4
      flashinfer_trtllm flashinfer_trtllm_routed hpc_ops humming intel_xpu lora_cutedsl
      lora_marlin lora_triton marlin megamoe triton triton_kernel
    `,
    "--speculative-ngram-match-type": "BFS PROB",
    "--startup-weight-load-mode": "overlap serial",
    "--tokenizer-backend": "fastokens huggingface",
    "--tokenizer-mode": "auto slow",
    "--unified-cache-external-linker-backend": "dynamic mooncake mori",
    "--weight-cache-mode": "client daemon off",
  },
  limits: {
    float: `
      --disaggregation-decode-host-receive-threshold
      --dynamic-batch-tokenizer-batch-timeout --elastic-ep-scale-timeout
      --eplb-min-rebalancing-utilization-threshold --gc-warning-threshold-secs
      --hicache-host-memory-fraction --hicache-ratio --lora-drain-wait-threshold
      --mamba-full-memory-ratio --mem-fraction-static --prefill-delayer-max-delay-ms
      --prefill-delayer-queue-min-ratio --prefill-delayer-token-usage-low-watermark
      --schedule-conservativeness --soft-watchdog-timeout
      --speculative-accept-threshold-acc --speculative-accept-threshold-single
      --swa-full-tokens-ratio --tbo-token-distribution-threshold --watchdog-timeout
    `,
    int: `
      --asr-max-buffer-seconds --asr-max-concurrent-sessions --attn-cp-size --attn-dp-size
      --base-gpu-id --batch-notify-size --c128-page-size --chunked-prefill-size
      --constrained-json-max-whitespace-cnt --cpu-offload-gb --cuda-graph-max-bs-decode
      --cuda-graph-max-bs-prefill --cuda-graph-max-seq-len-prefill --dcp-size
      --decode-log-interval --decoupled-spec-rank --default-priority-value
      --detokenizer-worker-num --disaggregation-bootstrap-port
      --disaggregation-decode-extra-slots --disaggregation-decode-polling-interval
      --dist-timeout --dp-size --dsa-triton-union --dwdp-size
      --dynamic-batch-tokenizer-batch-size --elastic-ep-initial-size
      --elastic-ep-join-rank-offset --encoder-bootstrap-port --engine-info-bootstrap-port
      --ep-num-redundant-experts --ep-size --eplb-rebalance-layers-per-chunk
      --eplb-rebalance-num-iterations --expert-distribution-recorder-buffer-size
      --gated-launch-port --gpu-id-step --grpc-port --grpc-response-timeout-secs
      --hicache-size --hicache-storage-prefetch-retry-max-attempts
      --hicache-storage-prefetch-retry-poll-interval
      --http2-initial-connection-window-size --http2-max-concurrent-streams
      --int8-mamba-ckpt-size --kt-cpuinfer --kt-max-deferred-experts-per-token
      --kt-num-gpu-experts --kt-threadpool-count --kv-canary-sweep-interval
      --linear-replayssm-cache-len --load-snapshot-publish-interval --log-requests-level
      --mamba-cache-philox-rounds --mamba-max-states-per-path --mamba-track-interval
      --max-ep-size --max-loaded-loras --max-lora-chunk-size --max-lora-rank
      --max-loras-per-batch --max-mamba-cache-size --max-queued-requests
      --max-running-requests --media-url-max-file-size-mb --min-free-slots-delay
      --mm-io-worker-num --mm-preprocess-cache-size-mb --mm-processor-worker-num
      --moe-dense-tp-size --moe-dp-size --nccl-port --nnodes --node-rank
      --num-continuous-decode-steps --num-reserved-decode-tokens --offload-group-size
      --offload-num-in-group --offload-prefetch-step --optimistic-prefill-attempts
      --page-size --paged-experts-num-resident --port --pp-async-batch-depth
      --pp-max-micro-batch-size --pp-size --prefill-decode-interval
      --prefill-decode-interval-min-bs --prefill-delayer-max-delay-passes
      --prefill-max-requests --priority-scheduling-preemption-threshold --random-seed
      --remote-instance-weight-loader-seed-instance-service-port
      --sampling-mask-max-tokens --scheduler-recv-interval --shared-experts-tp-size
      --sm-group-num --smg-http-sidecar-port --speculative-dflash-block-size
      --speculative-domino-candidate-pool-size --speculative-draft-sink-size
      --speculative-draft-window-size --speculative-dspark-block-size
      --speculative-eagle-topk --speculative-ngram-capacity
      --speculative-ngram-external-corpus-max-tokens
      --speculative-ngram-external-sam-budget --speculative-ngram-max-bfs-breadth
      --speculative-ngram-max-trie-depth --speculative-ngram-min-bfs-breadth
      --speculative-num-draft-tokens --speculative-num-steps --stream-interval
      --swa-prefix-tails --tokenizer-worker-num --torch-compile-max-bs --tp-size
      --triton-attention-num-kv-splits --triton-attention-split-tile-size
      --weight-cache-timeout --weight-loader-prefetch-num-threads
    `,
    json: `
      --default-chat-template-kwargs --extra-metric-labels --limit-mm-data-per-request
      --mm-process-config --preferred-sampling-params --radix-eviction-policy-config
      --unified-cache-external-linker-config
    `,
  },
  variables: `
    SGLANG_AITER_ASM_PREFILL_HD128 SGLANG_AITER_CAPTURE_COPY_IN
    SGLANG_AITER_FP8_PREFILL_ATTN SGLANG_AITER_FUSE_RMSNORM_PAD
    SGLANG_AITER_GFX942_BLOCKSCALE_USE_CK SGLANG_AITER_HONOR_EXPLICIT_MEM_FRACTION
    SGLANG_AITER_INTREE_GEMM_TUNE SGLANG_AITER_INTREE_MHC_TILE_M16 SGLANG_AITER_K3_OPT
    SGLANG_AITER_KV_CACHE_LAYOUT SGLANG_AITER_MEGA_EPLB_FUSED_MAP_RECORD
    SGLANG_AITER_MEGA_EPLB_PREFILL_ONLY SGLANG_AITER_MEGA_RANK_SYNC
    SGLANG_AITER_MLA_AUTO_KV_SPLITS SGLANG_AITER_MLA_DCP_DECODE_BACKEND
    SGLANG_AITER_MLA_DECODE_BACKEND SGLANG_AITER_MLA_GLUON SGLANG_AITER_MLA_PERSIST
    SGLANG_AITER_MLA_VERIFY_BACKEND SGLANG_AITER_MOE_SORTING_DISPATCH_POLICY
    SGLANG_AITER_PAGED_PREFILL_ASM SGLANG_AITER_UNIFIED_DRAFT_EXTEND
    SGLANG_AITER_UNIFIED_VERIFY SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN
    SGLANG_ALT_STREAM SGLANG_AMD_FLYDSL_MEGA_MOE_DECODE_MTPR
    SGLANG_AMD_FLYDSL_MEGA_MOE_MTPR SGLANG_AMD_FLYDSL_MEGA_QUANT
    SGLANG_AMD_USE_FLYDSL_MEGA_MOE SGLANG_ANIMA_TEST_MODEL SGLANG_ASM_VERIFY_ATTN
    SGLANG_AUTO_NUMA_BIND SGLANG_BACKUP_PORT_BASE
    SGLANG_BATCH_INVARIANT_OPS_ENABLE_MM_COMPARISON_TEST
    SGLANG_BATCH_INVARIANT_OPS_ENABLE_MM_DEEPGEMM
    SGLANG_BATCH_INVARIANT_OPS_ENABLE_MM_FALLBACK_VARIANT SGLANG_BATCH_TOKENIZER_OUTPUTS
    SGLANG_BLACKWELL_OVERLAP_SHARED_EXPERTS_OUTSIDE_SBO SGLANG_BLOCK_NONZERO_RANK_CHILDREN
    SGLANG_BUCKET_EVICTION_DURATION SGLANG_BUCKET_LOAD_BACK_DURATION SGLANG_CACHE_DIR
    SGLANG_CACHE_DIT_ SGLANG_CACHE_DIT_BN SGLANG_CACHE_DIT_DMD
    SGLANG_CACHE_DIT_DMD_HISTORY SGLANG_CACHE_DIT_DMD_RANK SGLANG_CACHE_DIT_DMD_RIDGE
    SGLANG_CACHE_DIT_DMD_SVD_PRECISION SGLANG_CACHE_DIT_ENABLED SGLANG_CACHE_DIT_FN
    SGLANG_CACHE_DIT_MC SGLANG_CACHE_DIT_RDT SGLANG_CACHE_DIT_SCM_CACHE_BINS
    SGLANG_CACHE_DIT_SCM_COMPUTE_BINS SGLANG_CACHE_DIT_SCM_POLICY
    SGLANG_CACHE_DIT_SCM_PRESET SGLANG_CACHE_DIT_SECONDARY_ SGLANG_CACHE_DIT_SECONDARY_BN
    SGLANG_CACHE_DIT_SECONDARY_DMD SGLANG_CACHE_DIT_SECONDARY_DMD_HISTORY
    SGLANG_CACHE_DIT_SECONDARY_DMD_RANK SGLANG_CACHE_DIT_SECONDARY_DMD_RIDGE
    SGLANG_CACHE_DIT_SECONDARY_DMD_SVD_PRECISION SGLANG_CACHE_DIT_SECONDARY_FN
    SGLANG_CACHE_DIT_SECONDARY_MC SGLANG_CACHE_DIT_SECONDARY_RDT
    SGLANG_CACHE_DIT_SECONDARY_TAYLORSEER SGLANG_CACHE_DIT_SECONDARY_TS_ORDER
    SGLANG_CACHE_DIT_SECONDARY_WARMUP SGLANG_CACHE_DIT_TAYLORSEER
    SGLANG_CACHE_DIT_TS_ORDER SGLANG_CACHE_DIT_WARMUP SGLANG_CACHE_HIT_RATE_WINDOW_SECONDS
    SGLANG_CHECK_KV_PAGE_INVARIANTS SGLANG_CHUNKED_PREFIX_CACHE_THRESHOLD
    SGLANG_CI_DISABLE_MOE_FUSED_FUNC SGLANG_CI_RDMA_ALL_DEVICES
    SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION SGLANG_CLOUD_STORAGE_TYPE
    SGLANG_COMPACTION_MAX_PAGES_PER_MOVE SGLANG_CONSISTENCY_GT_DIR
    SGLANG_CPU_OMP_THREADS_BIND SGLANG_CPU_QUANTIZATION SGLANG_CPU_WORKERS
    SGLANG_CRASH_ON_JIT_COMPILE SGLANG_CRASH_ON_NUMA_BIND_FAILURE
    SGLANG_CRASH_ON_TRITON_LOAD_AFTER_READY SGLANG_CUDA_COREDUMP
    SGLANG_CUDA_COREDUMP_BEFORE_CRASH SGLANG_CUDA_COREDUMP_BEFORE_CRASH_WAIT_SECS
    SGLANG_CUDA_COREDUMP_DIR SGLANG_CUSTOM_ALL_REDUCE_V2_MAX_SIZE_KB
    SGLANG_CUTE_AOT_CACHE_DIR SGLANG_DATA_PARALLEL_BUDGET_INTERVAL
    SGLANG_DEBUG_HISPARSE_SKIP_IO SGLANG_DEBUG_MEMORY_POOL SGLANG_DEBUG_POISON_POOL
    SGLANG_DEBUG_REVERT_PR SGLANG_DEBUG_SYMM_MEM SGLANG_DEEPEP_BF16_DISPATCH
    SGLANG_DEEPEP_LL_COMBINE_SEND_NUM_SMS SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK
    SGLANG_DEEPEP_V2_ENABLE_PREFILL_EXPAND SGLANG_DEEPEP_V2_FORCE_MAX_LEN
    SGLANG_DEEPEP_V2_NUM_MAX_DISPATCH_TOKENS_PER_RANK SGLANG_DEEPEP_V2_NUM_SMS
    SGLANG_DEEPEP_V2_TRACE_CONTIG SGLANG_DEEPEP_V2_TRACE_MASKED
    SGLANG_DEEPGEMM_MASKED_MEMORY_BUDGET_FRACTION SGLANG_DEEPGEMM_ON_H20
    SGLANG_DEEPGEMM_PDL SGLANG_DEEPGEMM_SANITY_CHECK SGLANG_DEEPGEMM_STANDARD_LAYOUT
    SGLANG_DEFAULT_THINKING SGLANG_DENOISE_AGG_TOLERANCE SGLANG_DENOISE_STEP_TOLERANCE
    SGLANG_DETECT_SLOW_RANK SGLANG_DETERMINISTIC_NCCL_NCHANNELS
    SGLANG_DETOKENIZER_MAX_STATES SGLANG_DFLASH_EAGER_DRAFT_SAMPLER SGLANG_DG_CACHE_DIR
    SGLANG_DG_USE_NVRTC SGLANG_DIAG_BYPASS_HEALTH_GENERATE SGLANG_DIFFUSION_AITER_FP8_ATTN
    SGLANG_DIFFUSION_ARTIFACT_DIR SGLANG_DIFFUSION_ATTENTION_CONFIG
    SGLANG_DIFFUSION_BCG_MAX_ENTRIES SGLANG_DIFFUSION_BCG_MAX_SEGMENTS
    SGLANG_DIFFUSION_CACHE_ROOT SGLANG_DIFFUSION_CFG_GATE_STEP
    SGLANG_DIFFUSION_CONSISTENCY_PLATFORM SGLANG_DIFFUSION_CONVROT_INT8_BACKEND
    SGLANG_DIFFUSION_COSMOS3_LIDAR_USE_NATTEN
    SGLANG_DIFFUSION_COSMOS3_MULTIVIEW_ATTENTION_BACKEND
    SGLANG_DIFFUSION_COSMOS3_STEP_MIXED_PRECISION_FIRST_STEPS
    SGLANG_DIFFUSION_COSMOS3_STEP_MIXED_PRECISION_LAST_STEPS
    SGLANG_DIFFUSION_DEBUG_COSMOS3_MULTIVIEW_SP_CHECK SGLANG_DIFFUSION_DEBUG_HOST_MEMORY
    SGLANG_DIFFUSION_DEBUG_LAYERWISE_TIMING SGLANG_DIFFUSION_DISABLE_AUTO_RESIDENCY
    SGLANG_DIFFUSION_DISABLE_EARLY_VAE_DECODER_CAST SGLANG_DIFFUSION_DISABLE_HOST_SPILL
    SGLANG_DIFFUSION_DISABLE_LORA_MERGE_CACHE SGLANG_DIFFUSION_DISABLE_MAPPED_COURIER
    SGLANG_DIFFUSION_DISABLE_MAPPED_DIRECT_READ SGLANG_DIFFUSION_DISABLE_MAPPED_WILLNEED
    SGLANG_DIFFUSION_DISABLE_SP_PAD_MASK SGLANG_DIFFUSION_DISABLE_VAE_DECODER_STORE
    SGLANG_DIFFUSION_ENABLE_COSMOS3_STEP_MIXED_PRECISION
    SGLANG_DIFFUSION_ENABLE_MXFP8_ATTENTION SGLANG_DIFFUSION_ENABLE_W8A8_FP8_GEMM
    SGLANG_DIFFUSION_FLASHINFER_FP4_GEMM_BACKEND SGLANG_DIFFUSION_FLUX3_NATTEN_BACKEND
    SGLANG_DIFFUSION_FP8_WEIGHT_DEQUANT_CACHE SGLANG_DIFFUSION_HOST_SPILL_DIR
    SGLANG_DIFFUSION_IPC_A2A SGLANG_DIFFUSION_IPC_A2A_MAX_BUFFERS
    SGLANG_DIFFUSION_IPC_A2A_MULTI SGLANG_DIFFUSION_IPC_A2A_TIMEOUT_MS
    SGLANG_DIFFUSION_LORA_MERGE_FP32 SGLANG_DIFFUSION_MINIMAX_H3_ADALN_FP32
    SGLANG_DIFFUSION_MINIMAX_H3_ADALN_GPU_PLANS SGLANG_DIFFUSION_MINIMAX_H3_PDD_HEADS
    SGLANG_DIFFUSION_MODEL_OVERLAY_REGISTRY SGLANG_DIFFUSION_MXFP8_FA_HEAD_CHUNK_SIZE
    SGLANG_DIFFUSION_NCCL_SO_PATH SGLANG_DIFFUSION_PERF_BASELINE_PLATFORM
    SGLANG_DIFFUSION_PLATFORM_OVERRIDE SGLANG_DIFFUSION_RETRY_DEADLINE
    SGLANG_DIFFUSION_SLACK_TOKEN SGLANG_DIFFUSION_STAGE_LOGGING
    SGLANG_DIFFUSION_SYNC_STAGE_PROFILING SGLANG_DIFFUSION_TEST_CAP_DEVICE_MEMORY_GIB
    SGLANG_DIFFUSION_TEST_FORCE_HOST_AVAILABLE_GIB SGLANG_DIFFUSION_TORCH_PROFILER_DIR
    SGLANG_DIFFUSION_TRACE_FUNCTION SGLANG_DIFFUSION_TRITON_FAST_LAUNCH
    SGLANG_DIFFUSION_ULYSSES_PIPELINE_GROUPS SGLANG_DIFFUSION_VAE_CHANNELS_LAST_3D
    SGLANG_DIFFUSION_VAE_CHANNELS_LAST_3D_PARITY_THRESHOLD
    SGLANG_DIFFUSION_WEIGHT_MATCH_RATIO SGLANG_DISABLED_MODEL_ARCHS
    SGLANG_DISABLE_AITER_FUSED_FP8_DSA_INDEXER SGLANG_DISABLE_AITER_GREEDY_SAMPLE
    SGLANG_DISABLE_CONSECUTIVE_PREFILL_OVERLAP SGLANG_DISABLE_COSMOS3_GUARDRAILS
    SGLANG_DISABLE_DRAFT_EXTEND_CUDA_GRAPH SGLANG_DISABLE_DSA_INDEXER_FUSION
    SGLANG_DISABLE_FUSED_AR_QUANT SGLANG_DISABLE_FUSED_MAMBA_SLOT_OPS
    SGLANG_DISABLE_GFX1250_FP8_GEMM SGLANG_DISABLE_HISPARSE_PREFETCH
    SGLANG_DISABLE_KDA_PREFILL_GRAPH_EXTEND SGLANG_DISABLE_LAZY_COMPACTION
    SGLANG_DISABLE_LEAN_ATTENTION SGLANG_DISABLE_LFM_FUSED_CONV
    SGLANG_DISABLE_M3_FP8_ATTN_GEMM SGLANG_DISABLE_MSA SGLANG_DISABLE_MSA_V1_Q8KV4
    SGLANG_DISABLE_OUTLINES_DISK_CACHE SGLANG_DISABLE_SILU_FP4_QUANT_FUSION
    SGLANG_DISABLE_STATIC_WATERFILL SGLANG_DISAGGREGATION_ALL_CP_RANKS_TRANSFER
    SGLANG_DISAGGREGATION_BOOTSTRAP_ENTRY_CLEANUP_INTERVAL
    SGLANG_DISAGGREGATION_BOOTSTRAP_TIMEOUT
    SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE
    SGLANG_DISAGGREGATION_DEFERRED_DECODE_KV_RELEASE_TIMEOUT
    SGLANG_DISAGGREGATION_ENGINE_INIT_TIMEOUT
    SGLANG_DISAGGREGATION_FORCE_QUERY_PREFILL_DP_RANK
    SGLANG_DISAGGREGATION_HEARTBEAT_INTERVAL SGLANG_DISAGGREGATION_HEARTBEAT_MAX_FAILURE
    SGLANG_DISAGGREGATION_NIXL_BACKEND SGLANG_DISAGGREGATION_NIXL_BACKEND_PARAMS
    SGLANG_DISAGGREGATION_QUEUE_SIZE SGLANG_DISAGGREGATION_SAMPLING_MASK_MAX_TOKENS
    SGLANG_DISAGGREGATION_THREAD_POOL_SIZE SGLANG_DISAGGREGATION_WAITING_TIMEOUT
    SGLANG_DISAGGREGATION_ZMQ_MAX_SOCKETS SGLANG_DISAGGREGATION_ZMQ_SEND_TIMEOUT
    SGLANG_DISAGG_PREFILL_EARLY_SEND_CACHED_PREFIX SGLANG_DISAGG_STAGING_BUFFER
    SGLANG_DISAGG_STAGING_POOL_SIZE_MB SGLANG_DISAGG_STARTUP_TIMEOUT
    SGLANG_DISTRIBUTED_INIT_METHOD_OVERRIDE SGLANG_DP_MASK_PAD_ROWS SGLANG_DP_RANK
    SGLANG_DP_SHARED_EXPERT_LOCAL SGLANG_DP_SIZE SGLANG_DP_USE_GATHERV
    SGLANG_DP_USE_REDUCE_SCATTER SGLANG_DSA_FUSE_TOPK SGLANG_DSA_HIP_DISABLE_PRESHUFFLE
    SGLANG_DSA_KPOOL_DEBUG_BOUNDS SGLANG_DSA_MQA_LOGITS_FREE_MEM_FRACTION
    SGLANG_DSA_PREFILL_DENSE_ATTN_KV_LEN_THRESHOLD SGLANG_DSA_TOPK_BROADCAST
    SGLANG_DSA_TOPK_FLASHINFER_DETERMINISTIC SGLANG_DSA_TOPK_FLASHINFER_TIE_BREAK
    SGLANG_DSPARK_ACCEPT_TAIL_MAX_BS SGLANG_DSPARK_ACCEPT_TAIL_MIN_BS
    SGLANG_DSPARK_BLOCK_ACCEPT_ESTIMATE_PATH SGLANG_DSPARK_BLOCK_ACCEPT_ONLINE_INTERVAL
    SGLANG_DSPARK_CONFIDENCE_RELAY_LAG_STEPS SGLANG_DSPARK_DEBUG_CONFIDENCE_METRICS
    SGLANG_DSPARK_DEBUG_CONFIDENCE_PREFIX_SCHEDULER SGLANG_DSPARK_DEBUG_DUMP
    SGLANG_DSPARK_DEFER_CONTEXT_KV SGLANG_DSPARK_EMBED_IN_GRAPH
    SGLANG_DSPARK_ENABLE_MULTI_STREAM SGLANG_DSPARK_ENABLE_SPS_RECORD
    SGLANG_DSPARK_FAST_KERNEL SGLANG_DSPARK_FAST_SAMPLING SGLANG_DSPARK_FOLDED_PROPOSAL
    SGLANG_DSPARK_FOLDED_SAMPLING SGLANG_DSPARK_FP32_LM_HEAD
    SGLANG_DSPARK_FUSED_ACCEPT_TAIL SGLANG_DSPARK_LOG_SPS_PRED_INTERVAL
    SGLANG_DSPARK_NVLINK_VOCAB_GATHER SGLANG_DSPARK_OPT_FUSED_GREEDY_MARKOV
    SGLANG_DSPARK_OPT_MARKOV_W2_BF16 SGLANG_DSPARK_OPT_MARKOV_W2_TP_SHARD
    SGLANG_DSPARK_SIMULATE_FOLD SGLANG_DSPARK_STACKED_CTX_KV
    SGLANG_DSPARK_STS_COLLECT_PATH SGLANG_DSPARK_USE_GREEDY_DRAFT
    SGLANG_DSV41_ENGRAM_HOST_TABLE_LAYOUT SGLANG_DSV41_FUSED_WO_A
    SGLANG_DSV41_REASONING_EFFORT SGLANG_DSV4_COMPRESSED_KV_LAYOUT
    SGLANG_DSV4_COMPRESS_STATE_DTYPE SGLANG_DSV4_DECODER_TAIL_GRAPH_MAX_ROWS
    SGLANG_DSV4_DECODER_TAIL_GRAPH_MIN_PREFILL_TOKENS SGLANG_DSV4_DENSE_MXSCALE
    SGLANG_DSV4_DENSE_MXSCALE_SHAPES SGLANG_DSV4_FLYDSL_DECODE
    SGLANG_DSV4_FLYDSL_DECODE_H128 SGLANG_DSV4_FLYDSL_DECODE_SOURCE
    SGLANG_DSV4_FP4_DEQUANT SGLANG_DSV4_FP4_EXPERTS SGLANG_DSV4_FP4_LOGITS_BUDGET_MB
    SGLANG_DSV4_FP8_DECODE_SPLIT_CTX SGLANG_DSV4_FP8_DECODE_SPLIT_MODEL
    SGLANG_DSV4_FP8_HCA_PERSIST SGLANG_DSV4_FP8_HCA_PERSIST_MIN_ROWS
    SGLANG_DSV4_GROUPED_ASM SGLANG_DSV4_KV_LAYOUT SGLANG_DSV4_Q8KV8_PREFILL
    SGLANG_DSV4_Q8KV8_PREFILL_LOG SGLANG_DSV4_REASONING_EFFORT SGLANG_DSV4_UNIFIED_KV_FP8
    SGLANG_DSV4_USE_BF16_KV_QUANT_SOURCE SGLANG_DUMP_LOADER_DIR
    SGLANG_DYNAMIC_CHUNKING_SMOOTH_FACTOR SGLANG_E2E_TOLERANCE SGLANG_EAGER_INPUT_NO_COPY
    SGLANG_EMBEDDINGS_SPARSE_HEAD SGLANG_EMBEDDING_POOL_SIZE_MB
    SGLANG_EMPTY_CACHE_INTERVAL SGLANG_ENABLE_ASYNC_ASSERT SGLANG_ENABLE_BF16_SPLITK_GEMM
    SGLANG_ENABLE_COLOCATED_BATCH_GEN SGLANG_ENABLE_CP_V2
    SGLANG_ENABLE_CUDA_GRAPH_CAPTURE_TRACE SGLANG_ENABLE_CUDA_GRAPH_DEDUP
    SGLANG_ENABLE_DELAY_SAMPLE SGLANG_ENABLE_DETERMINISTIC_INFERENCE
    SGLANG_ENABLE_DISAGG_PREFILL_CONTINUOUS_INPUT_POLLING
    SGLANG_ENABLE_DISAGG_SAMPLING_MASK SGLANG_ENABLE_DP_GATHER_FP8
    SGLANG_ENABLE_DP_SPEC_PREFILL_COORDINATION SGLANG_ENABLE_DSA_Q8KV8_BORN_FP8_Q
    SGLANG_ENABLE_DSA_Q8KV8_KV_CAT_FUSION SGLANG_ENABLE_DSA_Q8KV8_QPREP_OVERLAP
    SGLANG_ENABLE_DSA_Q8KV8_TOPK_LENGTH SGLANG_ENABLE_DSV41_ENGRAM_HOST_TABLE
    SGLANG_ENABLE_EMBED_REPLICATION SGLANG_ENABLE_FAILED_SESSION_PROBE
    SGLANG_ENABLE_FAST_INPUT_LOGPROBS SGLANG_ENABLE_FLUX3_PRIMS_TS_AUTOTUNE
    SGLANG_ENABLE_FP8_GEMM_CONFIG_TUNE SGLANG_ENABLE_FUSED_QKNORM_ROPE
    SGLANG_ENABLE_GDN_DECODE_FUSED_PROJ_CONV SGLANG_ENABLE_GRAPH_POOL_BORROW
    SGLANG_ENABLE_GRAPH_POOL_PRECARVE SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION
    SGLANG_ENABLE_HICACHE_BUFFER_ANCHOR_LOCK SGLANG_ENABLE_HICACHE_SWA_TAIL_ONLY_BACKUP
    SGLANG_ENABLE_JIT_DEEPGEMM SGLANG_ENABLE_KV_SHARD_ZERO_SM_GATHER
    SGLANG_ENABLE_LILICORR_SAMPLING SGLANG_ENABLE_LOGPROB_CHUNK
    SGLANG_ENABLE_LORA_CSGMV_SPLIT_K SGLANG_ENABLE_LORA_SHRINK_SPLIT_K
    SGLANG_ENABLE_METADATA_GLUE_GRAPH SGLANG_ENABLE_METRICS_DEVICE_TIMER
    SGLANG_ENABLE_METRICS_DP_ATTENTION SGLANG_ENABLE_MOE_DEFERRED_FINALIZE
    SGLANG_ENABLE_MTP_BOUNDARY_KV_FIX SGLANG_ENABLE_MUSE_SPARK_AG_NORM_FUSION
    SGLANG_ENABLE_MUSE_SPARK_FINALIZE_AR SGLANG_ENABLE_NAN_LOGITS_CHECK
    SGLANG_ENABLE_NVTX_OPERATIONS SGLANG_ENABLE_NVTX_SCHEDULER
    SGLANG_ENABLE_OVERLAP_PLAN_STREAM SGLANG_ENABLE_PCG_DSV2_DUAL_STREAM
    SGLANG_ENABLE_PCIE_IPC_ALLREDUCE SGLANG_ENABLE_POST_CAPTURE_KV_SIZING
    SGLANG_ENABLE_PP_SPEC SGLANG_ENABLE_PREFILL_WAR_READ_DONE
    SGLANG_ENABLE_QWEN4_PLE_FUSION SGLANG_ENABLE_QWEN_DEEPEP_SHARED_OVERLAP
    SGLANG_ENABLE_RANK_CONSENSUS_CHECKER SGLANG_ENABLE_REQUEST_DECOMPRESSION
    SGLANG_ENABLE_REQUEST_HEADER_OVERRIDES SGLANG_ENABLE_RESPONSE_TEMPLATE_TURN_GRAMMAR
    SGLANG_ENABLE_SINGLE_CG_DRAFT SGLANG_ENABLE_SPLITKV_VERIFY
    SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_BUSY SGLANG_ENABLE_STRICT_MEM_CHECK_DURING_IDLE
    SGLANG_ENABLE_TORCH_COMPILE SGLANG_ENABLE_TORCH_INFERENCE_MODE
    SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK SGLANG_ENABLE_TREE_CACHE_SANITY_CHECK
    SGLANG_ENABLE_WAITING_PREFIX_REFRESH SGLANG_ENABLE_WAR_BARRIER
    SGLANG_ENABLE_WEIGHT_LOADER_V2 SGLANG_ENBLE_TORCH_COMILE
    SGLANG_ENCODER_BOOTSTRAP_EVICTED_TTL SGLANG_ENCODER_BOOTSTRAP_HEALTH_CHECK_INTERVAL
    SGLANG_ENCODER_BOOTSTRAP_HEALTH_CHECK_TIMEOUT SGLANG_ENCODER_DISPATCH_MIN_ITEMS
    SGLANG_ENCODER_DP_WORKER_MAX_INFLIGHT SGLANG_ENCODER_GRPC_TIMEOUT_SECS
    SGLANG_ENCODER_HTTP_TIMEOUT SGLANG_ENCODER_IMAGE_PROCESSOR_USE_GPU
    SGLANG_ENCODER_MAX_BATCH_SIZE SGLANG_ENCODER_MM_LOAD_WORKERS
    SGLANG_ENCODER_MM_RECEIVER_MODE SGLANG_ENCODER_PREPROC_WORKERS
    SGLANG_ENCODER_RECV_TIMEOUT SGLANG_ENCODER_REQ_TIMEOUT SGLANG_ENCODER_SEND_TIMEOUT
    SGLANG_ENCODER_VIDEO_DECODE_NUM_THREADS SGLANG_EPLB_HEATMAP_COLLECTION_INTERVAL
    SGLANG_EPLB_P2P_BATCH_CHUNK_SIZE SGLANG_EPLB_ROCM_P2P_BATCH_CHUNK_SIZE
    SGLANG_EXACT_CHUNK_FILL SGLANG_EXA_INCLUDE_HIGHLIGHTS SGLANG_EXA_NUM_RESULTS
    SGLANG_EXA_SEARCH_TYPE SGLANG_EXPERIMENTAL_DSA_KPOOL_METADATA_FUSION
    SGLANG_EXPERIMENTAL_LORA_OPTI SGLANG_EXPERIMENTAL_ONLINE_C128_MTP
    SGLANG_EXPERT_CACHE_VRAM_MIB SGLANG_EXPERT_DISTRIBUTION_RECORDER_DIR
    SGLANG_EXPERT_LOCATION_UPDATER_CANARY SGLANG_EXPERT_LOCATION_UPDATER_LOG_INPUT
    SGLANG_EXPERT_LOCATION_UPDATER_LOG_METRICS SGLANG_EXPERT_PACK_PATH
    SGLANG_EXPERT_PACK_STATS_PATH SGLANG_EXPERT_STAGE_SLOTS SGLANG_EXPOSE_OWN_ENV_VARS
    SGLANG_EXTERNAL_MM_MODEL_ARCH SGLANG_EXTERNAL_MM_PROCESSOR_PACKAGE
    SGLANG_EXTERNAL_MODEL_PACKAGE SGLANG_FA4_TMEM_LOAD_RED_MAX
    SGLANG_FAILED_SESSION_IDLE_TIMEOUT_S SGLANG_FAILED_SESSION_PROBE_INTERVAL_S
    SGLANG_FAILED_SESSION_PROBE_MAX_INTERVAL_S SGLANG_FLASHINFER_AUTOTUNE_CACHE
    SGLANG_FLASHINFER_AUTOTUNE_EXTEND SGLANG_FLASHINFER_CUTEDSL_NVFP4_W4A16
    SGLANG_FLASHINFER_DECODE_SPLIT_TILE_SIZE SGLANG_FLASHINFER_MEGAMOE_COMBINE_DTYPE
    SGLANG_FLASHINFER_MEGAMOE_IN_KERNEL_FC2_REDUCE
    SGLANG_FLASHINFER_MEGAMOE_MAX_TOKENS_PER_RANK
    SGLANG_FLASHINFER_MNNVL_CUTEDSL_AR_FUSION
    SGLANG_FLASHINFER_MNNVL_CUTEDSL_AR_FUSION_MAX_INSTANCES
    SGLANG_FLASHINFER_MOE_FUSED_FINALIZE
    SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK
    SGLANG_FLASHINFER_NVFP4_PER_TOKEN_ACTIVATION SGLANG_FLASHINFER_PREFILL_SPLIT_TILE_SIZE
    SGLANG_FLASHINFER_USE_PAGED SGLANG_FLASHINFER_USE_TENSOR_CORE
    SGLANG_FLASHINFER_WORKSPACE_SIZE SGLANG_FORCE_COARSE_WAR_BARRIER
    SGLANG_FORCE_CONFIDENTIAL_COMPUTE SGLANG_FORCE_CPU_IMAGE_PREPROCESSING
    SGLANG_FORCE_CUSTOM_ALL_REDUCE_V2_PULL_SIZE_KB
    SGLANG_FORCE_CUSTOM_ALL_REDUCE_V2_PUSH_SIZE_KB SGLANG_FORCE_FP8_MARLIN
    SGLANG_FORCE_FUSED_OP_BACKEND SGLANG_FORCE_LEAN_GRID_CU_MULT
    SGLANG_FORCE_MXFP8_BLOCK_CONVERT SGLANG_FORCE_MXFP8_BLOCK_CONVERT_DENSE
    SGLANG_FORCE_SHUTDOWN SGLANG_FORCE_STREAM_INTERVAL SGLANG_FORWARD_UNKNOWN_TOOLS
    SGLANG_FP4_IGNORED_LAYERS SGLANG_FP8_IGNORED_LAYERS SGLANG_FP8_PAGED_MQA_LOGITS_TORCH
    SGLANG_FUSED_MLA_ENABLE_ROPE_FUSION SGLANG_GDN_CHUNK_H_BV
    SGLANG_GDN_CHUNK_H_NUM_STAGES SGLANG_GDN_CHUNK_H_NUM_WARPS
    SGLANG_GDN_DECODE_FUSION_LOG_LAYER_HITS SGLANG_GDN_DECODE_FUSION_VERIFY_REAL_TENSORS
    SGLANG_GDN_QKVZ_BA_ALT_STREAM SGLANG_GEMMA_OUT_OF_PLACE_POSITION_MUTATION
    SGLANG_GEN_BASELINE SGLANG_GEN_GT SGLANG_GFX1250_W4A8_BACKEND
    SGLANG_GFX1250_W4A8_KERNEL_GATHER SGLANG_GFX1250_W4A8_MOE
    SGLANG_GFX_ASM_CTX_GATHER_CHECK SGLANG_GIT_COMMIT SGLANG_GLM_AR_STARTUP_TIMEOUT
    SGLANG_GLM_NEXTN_MOE_PTPC SGLANG_GRAMMAR_MAX_POLL_ITERATIONS
    SGLANG_GRAMMAR_POLL_INTERVAL SGLANG_GRAPH_BATCH_CAPTURE SGLANG_GRPC_ENDPOINT
    SGLANG_GRPC_PORT SGLANG_GRPC_WORKER_THREADS SGLANG_GT_OUTPUT_DIR
    SGLANG_HACK_FLASHMLA_BACKEND SGLANG_HEALTH_CHECK_TIMEOUT
    SGLANG_HI3_COND_ENCODE_BATCHING SGLANG_HI3_OUTPUT_CROP
    SGLANG_HICACHE_BUFFER_ANCHOR_LOCK_CAP SGLANG_HICACHE_DECODE_OFFLOAD_STRIDE
    SGLANG_HICACHE_FILE_BACKEND_ENABLE_METADATA_CACHE
    SGLANG_HICACHE_FILE_BACKEND_EVICTION_RATIO SGLANG_HICACHE_FILE_BACKEND_MAX_SIZE
    SGLANG_HICACHE_FILE_BACKEND_METADATA_TTL SGLANG_HICACHE_FILE_BACKEND_MIN_FREE_SPACE
    SGLANG_HICACHE_FILE_BACKEND_STORAGE_DIR SGLANG_HICACHE_HF3FS_CONFIG_PATH
    SGLANG_HICACHE_HOST_HUGEPAGE SGLANG_HICACHE_HOST_HUGEPAGE_SIZE
    SGLANG_HICACHE_HOST_MEM_BACKEND SGLANG_HICACHE_HOST_NUMA_NODE
    SGLANG_HICACHE_HOST_PARALLEL_ALLOC_THREADS SGLANG_HICACHE_HOST_PREFAULT
    SGLANG_HICACHE_HOST_REGISTER_CHUNK_GB SGLANG_HICACHE_MEMCACHE_CONFIG_PATH
    SGLANG_HICACHE_MOONCAKE_CONFIG_PATH SGLANG_HICACHE_MOONCAKE_REUSE_TE
    SGLANG_HICACHE_NIXL_BACKEND_PLUGIN SGLANG_HICACHE_NIXL_BACKEND_STORAGE_DIR
    SGLANG_HICACHE_NIXL_USE_DIRECT_IO SGLANG_HICACHE_SIMM_CONFIG_PATH
    SGLANG_HICACHE_SKIP_HOST_DUPLICATE_RECLAIM SGLANG_HICACHE_TMA_TRANSFER
    SGLANG_HIP_DSPARK_DRAFT_RAW_METADATA SGLANG_HIP_DSV41_INDEX_K_PAGE8
    SGLANG_HIP_DSV4_C4_INDEXER_ROWGROUP SGLANG_HIP_FFN_NORM_MXFP8
    SGLANG_HIP_FP4_INDEXER_ROWGROUP SGLANG_HIP_MHC_BOUNDARY_WIDE_TILE
    SGLANG_HIP_SHARED_ACT_MXFP8 SGLANG_HIP_WO_A_MXFP8 SGLANG_HOST_IP
    SGLANG_HTTP_SERVER_APP_PATH SGLANG_HUGEPAGE_SIZE SGLANG_HUMMING_INPUT_QUANT_CONFIG
    SGLANG_HUMMING_MOE_GEMM_TYPE SGLANG_HUMMING_ONLINE_QUANT_CONFIG
    SGLANG_HUMMING_USE_F16_ACCUM SGLANG_IMAGE_MAX_PIXELS SGLANG_INIT_NEW_TOKEN_RATIO
    SGLANG_INKLING_DEFAULT_REASONING_EFFORT SGLANG_INKLING_RS_MM_PREPROCESS
    SGLANG_INT4_WEIGHT SGLANG_INVARIANT_CHECK SGLANG_IN_DEEPGEMM_PRECOMPILE_STAGE
    SGLANG_IO_WORKERS SGLANG_IS_FIRST_RANK_ON_NODE SGLANG_IS_FLASHINFER_AVAILABLE
    SGLANG_IS_IN_CI SGLANG_IS_IN_CI_AMD SGLANG_JIT_BENCHMARK_DISABLE_LOG_BANDWIDTH
    SGLANG_JIT_BENCHMARK_DISABLE_LOG_FLOPS SGLANG_JIT_CACHE_DEBUG SGLANG_JIT_CACHE_DIR
    SGLANG_JIT_CACHE_KEEP SGLANG_JIT_DEEPGEMM_FAST_WARMUP SGLANG_JIT_DEEPGEMM_PRECOMPILE
    SGLANG_JIT_FORCE_RECOMPILE SGLANG_JIT_KERNEL_RUN_FULL_TESTS SGLANG_JIT_LOG_LEVEL
    SGLANG_JIT_LOG_RESOURCE_USAGE SGLANG_K3_AR_FUSION SGLANG_K3_FLYDSL_SOURCE
    SGLANG_K3_FUSED_FRONT SGLANG_K3_RADIX4_TOPK SGLANG_K3_SP_ATTN_RES
    SGLANG_K3_SP_COLLECTIVE SGLANG_KANDINSKY6_SR_TEST_MODEL
    SGLANG_KANDINSKY6_SR_TEST_SERVER_ARGS SGLANG_KANDINSKY6_TEST_MODEL
    SGLANG_KANDINSKY6_TEST_SERVER_ARGS SGLANG_KDA_PREFILL_GRAPH_MAX_SEQS
    SGLANG_KERNEL_API_DUMP_DIR SGLANG_KERNEL_API_DUMP_EXCLUDE
    SGLANG_KERNEL_API_DUMP_INCLUDE SGLANG_KERNEL_API_LOGDEST SGLANG_KERNEL_API_LOGLEVEL
    SGLANG_KILLPG_ON_SCHEDULER_EXCEPTION SGLANG_KIMI_K3_VIT_CUDA_GRAPH_CACHE_CAPACITY
    SGLANG_KIMI_K3_VIT_CUDA_GRAPH_MAX_SEQLEN SGLANG_KIMI_K3_VIT_CUDA_GRAPH_MIN_HITS
    SGLANG_KITCHEN_INT8_MAX_ROWS SGLANG_KITCHEN_INT8_MIN_SPLIT_N
    SGLANG_KV_CANARY_ENABLE_MHA_V SGLANG_KV_CANARY_ENABLE_TOKEN_ORACLE
    SGLANG_KV_CANARY_ENABLE_VERIFY_TOKEN_ASSERT SGLANG_KV_CANARY_ENABLE_WRITE_INPUT_ASSERT
    SGLANG_KV_CANARY_PERTURB_NEXT_TOKEN_SWAP_PROB
    SGLANG_KV_CANARY_PERTURB_REAL_KV_POST_FORWARD_PROB
    SGLANG_KV_CANARY_PERTURB_REAL_KV_UNUSED_CACHE_PROB
    SGLANG_KV_CANARY_PERTURB_REAL_KV_USED_PROB SGLANG_KV_CANARY_PERTURB_REQ_TO_TOKEN_PROB
    SGLANG_KV_CANARY_PERTURB_TARGET_GROUP SGLANG_KV_CANARY_PERTURB_WARMUP_STEPS
    SGLANG_KV_CANARY_RING_CAPACITY SGLANG_KV_CANARY_STATS_PRINT_EVERY_N_STEPS
    SGLANG_KV_CANARY_SWA_DIVERGENCE_STATS_INTERVAL
    SGLANG_LAZY_COMPACTION_MAX_MOVES_PER_CALL SGLANG_LILICORR_REQUIRE_SAMPLING
    SGLANG_LINGBOT_ENABLE_INTERACTIVE_KV_WINDOW
    SGLANG_LINGBOT_LAZY_VAE_ENCODE_BLACK_FRAMES SGLANG_LINGBOT_SP_STRATEGY
    SGLANG_LOAD_PEAK_VRAM_TOLERANCE SGLANG_LOAD_SNAPSHOT_USE_ZMQ SGLANG_LOCAL_IP_NIC
    SGLANG_LOGGING_CONFIG_PATH SGLANG_LOGPROB_CHUNK_SIZE SGLANG_LOG_DECODE_GRAPH_KEY
    SGLANG_LOG_EXPERT_LOCATION_METADATA SGLANG_LOG_FORWARD_ITERS SGLANG_LOG_GC
    SGLANG_LOG_LAZY_COMPACTION_STATS SGLANG_LOG_LAZY_COMPACTION_STATS_INTERVAL_SEC
    SGLANG_LOG_MS SGLANG_LOG_PICKLE_IPC_OBJECTS SGLANG_LOG_REQUEST_EXCEEDED_MS
    SGLANG_LOG_REQUEST_HEADERS SGLANG_LOG_SCHEDULER_STATUS_INTERVAL
    SGLANG_LOG_SCHEDULER_STATUS_TARGET SGLANG_LORA_CONFIG_DIR SGLANG_LORA_DENSE_CONFIG_DIR
    SGLANG_LORA_MOE_CONFIG_DIR SGLANG_LTX2_TWO_STAGE_DEVICE_MODE SGLANG_M3_ALLOW_CUSTOM_AR
    SGLANG_M3_USE_AITER_FUSED_QKNORM SGLANG_MAMBA_CONV_DTYPE SGLANG_MAMBA_DEBUG_ASSERTS
    SGLANG_MAMBA_SSM_DTYPE SGLANG_MAX_BATCH_REQS_PER_HTTP_REQ SGLANG_MAX_KV_CHUNK_CAPACITY
    SGLANG_MAX_NEW_TOKENS_LIMIT SGLANG_MAX_THINK_TOKENS SGLANG_MEMORY_SAVER_CUDA_GRAPH
    SGLANG_MEM_PROFILE_MAX_ENTRIES SGLANG_MINICPM_DENSE_AS_SPARSE
    SGLANG_MINICPM_FORCE_DENSE SGLANG_MINICPM_FUSE_TOPK
    SGLANG_MINIMAX_M3_FUSED_MOE_COMBINE SGLANG_MINIMAX_M3_FUSED_SWIGLU_MXFP8
    SGLANG_MINIMAX_M3_INDEXER_CP SGLANG_MINIMAX_M3_INDEX_TOPK_FREQ
    SGLANG_MINIMAX_NPU_NATIVE_ATTN SGLANG_MINIMAX_NPU_NATIVE_INDEXER
    SGLANG_MINIMAX_NPU_PREFILL_FIA SGLANG_MINIMAX_NPU_PREFILL_MAIN_BPS
    SGLANG_MINIMAX_VIT_TOKEN_BLOCK SGLANG_MIN_NEW_TOKEN_RATIO_FACTOR
    SGLANG_MLA_DECODE_TUNE SGLANG_MLA_DEDUP_CHUNK_TOKENS SGLANG_MLA_HCA_KV_SPLITS
    SGLANG_MLX_CACHE_LIMIT_GB SGLANG_MLX_CLEAR_CACHE_STEPS SGLANG_MLX_FUSE_SWIGLU
    SGLANG_MLX_USE_CUSTOM_ROPE SGLANG_MMGEN_UPDATE_WEIGHTS_PAIR SGLANG_MM_AVOID_RETOKENIZE
    SGLANG_MM_BUFFER_SIZE_MB SGLANG_MM_FEATURE_CACHE_MB
    SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC SGLANG_MM_LOAD_MAX_RETRIES
    SGLANG_MM_PRECOMPUTE_HASH SGLANG_MM_SKIP_COMPUTE_HASH SGLANG_MOE_CONFIG_DIR
    SGLANG_MOE_COPY_WEIGHT_VIEWS_BEFORE_H2D SGLANG_MOE_DEFERRED_FINALIZE_MAX_TOKENS
    SGLANG_MOE_NVFP4_DISPATCH SGLANG_MOE_PADDING SGLANG_MOE_SHUFFLE_GFX1250
    SGLANG_MOONCAKE_CUSTOM_MEM_POOL SGLANG_MOONCAKE_EP_NUM_MAX_DISPATCH_TOKENS_PER_RANK
    SGLANG_MOONCAKE_MAX_TRANSFER_BATCH_INDICES SGLANG_MOONCAKE_SEND_AUX_TCP
    SGLANG_MORI_COMBINE_DTYPE SGLANG_MORI_DISPATCH_DTYPE
    SGLANG_MORI_DISPATCH_INTER_KERNEL_SWITCH_THRESHOLD SGLANG_MORI_EP_V2
    SGLANG_MORI_MOE_MAX_INPUT_TOKENS SGLANG_MORI_NO_PAD_MASK
    SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK SGLANG_MORI_NUM_WORKERS
    SGLANG_MORI_POST_BATCH_SIZE SGLANG_MORI_PREALLOC_MAX_RECV_TOKENS
    SGLANG_MORI_QP_PER_TRANSFER SGLANG_MORI_RECV_BOUND SGLANG_MORI_SEND_AUX_RDMA
    SGLANG_MORI_TRANSFER_SHARDS SGLANG_MORI_TRANSFER_TIMEOUT_MS SGLANG_MORI_WAIT_POLL_MS
    SGLANG_MUSA_FA3_FORCE_UPDATE_METADATA SGLANG_MXFP4_USE_OFFICIAL_SHUFFLE
    SGLANG_NATIVE_MOVE_KV_CACHE SGLANG_NCCL_ALL_GATHER_IN_OVERLAP_SCHEDULER_SYNC_BATCH
    SGLANG_NCCL_SO_PATH SGLANG_NEW_TOKEN_RATIO_DECAY_STEPS
    SGLANG_NGRAM_FORCE_GREEDY_VERIFY SGLANG_NIXL_EP_BF16_DISPATCH
    SGLANG_NIXL_EP_NUM_MAX_DISPATCH_TOKENS_PER_RANK
    SGLANG_NON_DENOISE_STAGE_TIME_TOLERANCE SGLANG_NPU_ARCH35_REQUANT_BLOCK_FP8
    SGLANG_NPU_ATTN_BACKEND_NEEDS_CPU_SEQ_LENS SGLANG_NPU_DISABLE_ACL_FORMAT_WEIGHT
    SGLANG_NPU_ENABLE_SPARSE_KV_OFFLOAD SGLANG_NPU_FINE_GRAINED_MOE_DUAL_STREAM
    SGLANG_NPU_FORWARD_NATIVE_GELUTANH SGLANG_NPU_FORWARD_NATIVE_GEMMA_RMS_NORM
    SGLANG_NPU_HICACHE_MAMBA_IO SGLANG_NPU_MEMCACHE_ENABLE_WARMUP
    SGLANG_NPU_MOE_SITU_MXFP8_FUSED SGLANG_NPU_USE_FIAS_V2_BSND SGLANG_NPU_USE_MLAPO
    SGLANG_NPU_USE_MULTI_STREAM SGLANG_NPU_USE_SCATTER_PA_KV_CACHE
    SGLANG_NPU_USE_TRITON_PREFIX_KV_CACHE_STORE SGLANG_NPU_W4A4_NEW_PACKING
    SGLANG_NSYS_PROFILING SGLANG_NUMA_BIND_V2 SGLANG_NVFP4_CKPT_FP8_GEMM_IN_ATTN
    SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE SGLANG_OLLAMA_CHAT_ROUTE SGLANG_OLLAMA_GENERATE_ROUTE
    SGLANG_OLLAMA_ROOT_ROUTE SGLANG_OLLAMA_SHOW_ROUTE SGLANG_OLLAMA_TAGS_ROUTE
    SGLANG_ONE_VISIBLE_DEVICE_PER_PROCESS SGLANG_OPT_BEAM_DECODE_GEMV
    SGLANG_OPT_BF16_FP32_GEMM_ALGO SGLANG_OPT_CUDA_GRAPH_FILL_FAST_PATH
    SGLANG_OPT_DEEPGEMM_HC_PRENORM SGLANG_OPT_DEEPGEMM_MEGA_GATE
    SGLANG_OPT_DEEPGEMM_MEGA_MOE_FUSE_SHARED_EXPERTS
    SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK
    SGLANG_OPT_DEEPGEMM_MEGA_MOE_RESERVED_SMS SGLANG_OPT_DG_COMPACT_EAGER
    SGLANG_OPT_DG_MASKED_M_CAP SGLANG_OPT_DSV41_BF16_INDEX_LOGITS
    SGLANG_OPT_DSV41_BLOCKWISE_REJECTION SGLANG_OPT_DSV41_DSPARK_DRAFT_PREP_FORK
    SGLANG_OPT_DSV41_DSPARK_MID_FOLD SGLANG_OPT_DSV41_DSPARK_ONE_LAUNCH_COMMIT_STAGE
    SGLANG_OPT_DSV41_DSPARK_POST_FOLD SGLANG_OPT_DSV41_DSPARK_PREPARE_INPUTS_ONCE
    SGLANG_OPT_DSV41_DSPARK_SIM_DRAW_AHEAD SGLANG_OPT_DSV41_DSPARK_SKIP_PREFILLED_INPUTS
    SGLANG_OPT_DSV41_ENGRAM_HOST_STAGING SGLANG_OPT_DSV41_ENGRAM_PEER_SHARDS
    SGLANG_OPT_DSV41_MEGA_MHC_PREFILL SGLANG_OPT_DSV41_POST_FORWARD_CUDA_GRAPH
    SGLANG_OPT_DSV41_SAMPLING_ACCEPT_GRAPH SGLANG_OPT_DSV41_TARGET_METADATA_EARLY
    SGLANG_OPT_DSV41_TARGET_VERIFY_METADATA_GLUE SGLANG_OPT_DSV4_NONPAGED_INDEXER
    SGLANG_OPT_DSV4_NONPAGED_INDEXER_MIN_QUERY_TOKENS SGLANG_OPT_ENGRAM_EXTEND_HASH
    SGLANG_OPT_FLASHINFER_DRAFT_HOST_INDPTR SGLANG_OPT_FLASHINFER_VERIFY_HOST_PLAN
    SGLANG_OPT_FLASHMLA_SPARSE_PREFILL SGLANG_OPT_FLUX3_PRIMS_TS_TUNING_BUCKETS
    SGLANG_OPT_FP8_WO_A_FUSED_INVROPE SGLANG_OPT_FP8_WO_A_GEMM SGLANG_OPT_FUSED_KDA_VERIFY
    SGLANG_OPT_FUSED_PERMUTE_QUANT SGLANG_OPT_FUSED_QK_NORM_ROPE_VERIFY
    SGLANG_OPT_FUSE_MHC_POST_PRE SGLANG_OPT_FUSE_SWIGLU_INTERLEAVED
    SGLANG_OPT_FUSE_WQA_WKV SGLANG_OPT_GATE_GEMV_MODE SGLANG_OPT_HIP_FLYDSL_MXFP8
    SGLANG_OPT_HIP_OPUS_SPARSE_PREFILL SGLANG_OPT_HOPPER_BLOCK_FP8_BF16
    SGLANG_OPT_INKLING_MXFP8_FUSED_QUANT_STORE SGLANG_OPT_KIMI_GATE_BF16_INPUT
    SGLANG_OPT_LINEARIZED_SHARED_SINK SGLANG_OPT_LORA_CUBLAS SGLANG_OPT_LORA_CUBLAS_A
    SGLANG_OPT_LORA_CUBLAS_B SGLANG_OPT_LORA_CUBLAS_GATE_UP SGLANG_OPT_LORA_CUBLAS_KV_B
    SGLANG_OPT_LORA_CUBLAS_QKV SGLANG_OPT_LORA_FUSED_MERGED_ALIGN
    SGLANG_OPT_LORA_FUSED_TOPK_PACK SGLANG_OPT_LORA_OVERLAP_MAIN_ALLOC
    SGLANG_OPT_LORA_PREFILL_ROUTING_REUSE SGLANG_OPT_LORA_QKV_B_STORE
    SGLANG_OPT_LORA_SHARED_ADD_OVERLAP SGLANG_OPT_LORA_SHRINK_TUNE
    SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK SGLANG_OPT_MASK_DP_PAD_MOE
    SGLANG_OPT_MINIMAX_M3_FP8_INDEX_CACHE SGLANG_OPT_MOE_QUANT_ONCE
    SGLANG_OPT_MXFP4_DEFERRED_FINALIZED_SHAPE SGLANG_OPT_NPU_BF16_WO_A_GEMM
    SGLANG_OPT_Q8KV8_QPREP_VARIANT SGLANG_OPT_RELEASE_PREFILL_SWA
    SGLANG_OPT_SKIP_GLUED_REPLAY_VIEW SGLANG_OPT_SM120_DIRECT_SWA_KV
    SGLANG_OPT_SM120_MTP_ROUTER_TOP22 SGLANG_OPT_SM120_NVFP4_PHASE_LAYOUT
    SGLANG_OPT_SWA_RELEASE_LEAF_LOCK_AFTER_WINDOW
    SGLANG_OPT_UNIFIED_CACHE_FREE_OUT_OF_WINDOW_SLOTS SGLANG_OPT_USE_AITER_BATCHED_GEMM
    SGLANG_OPT_USE_AITER_INDEXER SGLANG_OPT_USE_AITER_SILU_MUL
    SGLANG_OPT_USE_BF16_ROUTER_GEMM SGLANG_OPT_USE_CUSTOM_ALL_REDUCE_V2
    SGLANG_OPT_USE_FLASHINFER_MHC SGLANG_OPT_USE_FUSED_GATE_TOPK
    SGLANG_OPT_USE_FUSED_HASH_TOPK SGLANG_OPT_USE_FUSED_QK_NORM_ROPE
    SGLANG_OPT_USE_GATE_TOPK_JIT SGLANG_OPT_USE_GUMBEL_SAMPLE
    SGLANG_OPT_USE_INKLING_CUSTOM_AR SGLANG_OPT_USE_INKLING_FUSED_AR_SCONV
    SGLANG_OPT_USE_INKLING_FUSED_AR_SCONV_NORM SGLANG_OPT_USE_INKLING_FUSED_AR_SHARED
    SGLANG_OPT_USE_INKLING_FUSED_ATTN_PROLOGUE SGLANG_OPT_USE_INKLING_FUSED_LOG_TAU
    SGLANG_OPT_USE_INKLING_MULTI_STREAM_OVERLAP SGLANG_OPT_USE_INKLING_REL_PROJ_DISPATCH
    SGLANG_OPT_USE_INKLING_SHARED_FUSED_MOE SGLANG_OPT_USE_INKLING_SHEARED_BIAS
    SGLANG_OPT_USE_JIT_INDEXER_METADATA SGLANG_OPT_USE_JIT_KERNEL_GROUPED_TOPK
    SGLANG_OPT_USE_JIT_KERNEL_KIMI_GATE SGLANG_OPT_USE_JIT_KERNEL_MOE_ALIGN
    SGLANG_OPT_USE_MINIMAX_DECODE_TOPK_RADIX SGLANG_OPT_USE_MINIMAX_DENSE_SPARSE_DECODE
    SGLANG_OPT_USE_MINIMAX_FP8_Q_EPILOGUE SGLANG_OPT_USE_MINIMAX_FUSED_KV_INDEX_STORE
    SGLANG_OPT_USE_MINIMAX_GLUON_PREFILL SGLANG_OPT_USE_MSA_DECODE_UNDER_GRAPH
    SGLANG_OPT_USE_MULTI_STREAM_OVERLAP SGLANG_OPT_USE_ONLINE_COMPRESS
    SGLANG_OPT_USE_TILELANG_INDEXER SGLANG_OPT_USE_TILELANG_MHC_POST
    SGLANG_OPT_USE_TILELANG_MHC_PRE SGLANG_OPT_USE_TOPK_V2
    SGLANG_OTLP_EXPORTER_MAX_EXPORT_BATCH_SIZE SGLANG_OTLP_EXPORTER_SCHEDULE_DELAY_MILLIS
    SGLANG_PARALLEL_PROMPT_ENCODE SGLANG_PARALLEL_PROMPT_ENCODE_MIN_CHARS
    SGLANG_PATCH_TOKENIZER SGLANG_PCIE_IPC_MAX_NUMEL SGLANG_PERF_LOG_DIR
    SGLANG_PERF_TIMEOUT SGLANG_PHASE_CHECKER_DEBUG SGLANG_PI05_E2E_ACTION_DIM
    SGLANG_PI05_E2E_ACTION_HORIZON SGLANG_PI05_E2E_CONSISTENCY_ATOL
    SGLANG_PI05_E2E_CONSISTENCY_GT SGLANG_PI05_E2E_CONSISTENCY_RTOL
    SGLANG_PI05_E2E_CUDA_GRAPH SGLANG_PI05_E2E_GT_ATOL SGLANG_PI05_E2E_GT_RTOL
    SGLANG_PI05_E2E_IMAGE_SIZE SGLANG_PI05_E2E_MAX_ACTION_DENOISE_MS
    SGLANG_PI05_E2E_MAX_WALL_MS SGLANG_PI05_E2E_MODEL SGLANG_PI05_E2E_NOISE_SEED
    SGLANG_PI05_E2E_NUM_GPUS SGLANG_PI05_E2E_NUM_STEPS SGLANG_PI05_E2E_OUTPUT_ACTION_DIM
    SGLANG_PI05_E2E_PERF_DUMP SGLANG_PI05_E2E_PERF_REPEAT SGLANG_PI05_E2E_PERF_WARMUP
    SGLANG_PI05_E2E_PROMPT SGLANG_PI05_E2E_RING_DEGREE SGLANG_PI05_E2E_SP_DEGREE
    SGLANG_PI05_E2E_STATE_DIM SGLANG_PI05_E2E_ULYSSES_DEGREE SGLANG_PI05_E2E_UPDATE_GT
    SGLANG_PLATFORM SGLANG_PLUGINS SGLANG_PORT
    SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK SGLANG_PP_COMM_OVERLAP
    SGLANG_PP_LAYER_PARTITION SGLANG_PP_PARALLEL_DEEPGEMM_WARMUP
    SGLANG_PP_SKIP_PURE_CHUNKED_OUTPUT_COMM SGLANG_PRECISION_HF_READ_ONLY
    SGLANG_PRECISION_HF_REPO SGLANG_PRECISION_HF_REVISION SGLANG_PRECISION_HF_TOKEN
    SGLANG_PREFETCH_BLOCK_SIZE_MB SGLANG_PREFILL_DELAYER_DEBUG_LOG
    SGLANG_PREFILL_DELAYER_MAX_DELAY_PASSES
    SGLANG_PREFILL_DELAYER_MAX_PREFILL_BS_WINDOW_SIZE
    SGLANG_PREFILL_DELAYER_TOKEN_USAGE_LOW_WATERMARK SGLANG_PREFILL_TILE_BUDGET
    SGLANG_PREFILL_TILE_BUDGET_MODE SGLANG_PROFILE_BY_STAGE_DECODE_MIN_BS
    SGLANG_PROFILE_RECORD_SHAPES SGLANG_PROFILE_V2 SGLANG_PROFILE_WITH_STACK
    SGLANG_PYSPY_DUMP_BEFORE_CRASH SGLANG_QK_NORM_ALT_STREAM SGLANG_QK_RMSNORM_TORCH
    SGLANG_QUANT_ALLOW_DOWNCASTING SGLANG_QWEN35_NATIVE_FINAL_NORM
    SGLANG_QWEN35_PACKED_IN_PROJ SGLANG_QWEN4_PLE_FILE_DIR SGLANG_QWEN4_PLE_FILE_PREFETCH
    SGLANG_QWEN4_PLE_FILE_RSS_BUDGET_GB SGLANG_QWEN4_PLE_FILE_RSS_INTERVAL_S
    SGLANG_QWEN4_PLE_FILE_SKIP_DEVICE_CHECK SGLANG_QWEN_IMAGE21_TEST_IMAGE
    SGLANG_QWEN_IMAGE21_TEST_MODEL SGLANG_RADIX_FORCE_MISS SGLANG_RAGGED_VERIFY_MODE
    SGLANG_RAY_BUNDLE_INDICES SGLANG_RECORD_STEP_TIME SGLANG_REQUEST_STATE_WAIT_TIMEOUT
    SGLANG_REQ_RUNNING_TIMEOUT SGLANG_REQ_WAITING_TIMEOUT SGLANG_RESIZE_RESAMPLE
    SGLANG_RETRACT_DECODE_STEPS SGLANG_RETURN_ORIGINAL_LOGPROB
    SGLANG_RINGBUFFER_WARNING_INTERVAL SGLANG_ROCM_DISABLE_LINEARQUANT
    SGLANG_ROCM_FUSED_DECODE_MLA SGLANG_ROCM_K3_FUSE_KDA_INPROJ
    SGLANG_ROCM_K3_FUSE_KDA_INPROJ_MAX_TOKENS SGLANG_ROCM_K3_KDA_FUSED_BACKEND
    SGLANG_ROCM_KDA_HIP_PREFILL SGLANG_ROCM_MXFP8_AITER_PRESHUFFLE
    SGLANG_ROCM_OPT_DSPARK_FP8_LM_HEAD SGLANG_ROCM_SMALLM_FP8_BS
    SGLANG_ROCM_SMALLM_FP8_PROJ SGLANG_ROCM_SMALLM_MOE SGLANG_ROCM_SMALLM_ROUTER
    SGLANG_ROCM_USE_AITER_FP4_ASM_GEMM SGLANG_ROCM_USE_MULTI_STREAM SGLANG_ROLE_NAMESPACES
    SGLANG_ROLE_NAMESPACES_OUT SGLANG_ROPE_CACHE_ALIGN SGLANG_ROPE_CACHE_FP32
    SGLANG_ROPE_CACHE_SAFETY_MARGIN SGLANG_ROUTING_KEY_POLICY_DEBUG_LOG
    SGLANG_RUNTIME_PEAK_VRAM_TOLERANCE SGLANG_RUN_ID SGLANG_RUN_PI05_E2E
    SGLANG_RUST_BUILD_MODE SGLANG_RUST_SERVER SGLANG_S3_ACCESS_KEY_ID
    SGLANG_S3_BUCKET_NAME SGLANG_S3_ENDPOINT_URL SGLANG_S3_REGION_NAME
    SGLANG_S3_SECRET_ACCESS_KEY SGLANG_SAIL_GPU_ARCH SGLANG_SANA_WM_DIAGNOSTICS
    SGLANG_SANA_WM_LOG_TENSOR_STATS SGLANG_SANA_WM_SKIP_REFINER SGLANG_SANITIZE_NAN_LOGITS
    SGLANG_SCHEDULER_DECREASE_PREFILL_IDLE SGLANG_SCHEDULER_MAX_RECV_PER_POLL
    SGLANG_SCHEDULER_RECV_SKIPPER_WEIGHT_DECODE
    SGLANG_SCHEDULER_RECV_SKIPPER_WEIGHT_DEFAULT SGLANG_SCHEDULER_RECV_SKIPPER_WEIGHT_NONE
    SGLANG_SCHEDULER_RECV_SKIPPER_WEIGHT_TARGET_VERIFY SGLANG_SCHEDULER_SKIP_ALL_GATHER
    SGLANG_SET_CPU_AFFINITY SGLANG_SHARED_EXPERT_TP1 SGLANG_SIMULATE_ACC_GREEDY
    SGLANG_SIMULATE_ACC_LEN SGLANG_SIMULATE_ACC_METHOD SGLANG_SIMULATE_ACC_TOKEN_MODE
    SGLANG_SIMULATE_ROUND_ROBIN_EXPERTS SGLANG_SIMULATE_UNIFORM_EXPERTS
    SGLANG_SKIP_CONSISTENCY SGLANG_SKIP_P2P_CHECK SGLANG_SKIP_RUST_TESTS
    SGLANG_SKIP_SGL_KERNEL_VERSION_CHECK SGLANG_SKIP_SOFTMAX_DECODE_THRESHOLD_SCALE_FACTOR
    SGLANG_SKIP_SOFTMAX_PREFILL_THRESHOLD_SCALE_FACTOR SGLANG_SM120_FLASHMLA_BACKEND
    SGLANG_SORT_WEIGHT_FILES SGLANG_SPEC_EXPANSION_SAFETY_FACTOR
    SGLANG_SPEC_SKIP_ZERO_STEP_DRAFT_EXTEND SGLANG_SPEC_TP_SYNC SGLANG_SP_TEXT_SHARD_MIN
    SGLANG_STAGE_TIME_TOLERANCE SGLANG_STAGING_USE_TORCH SGLANG_SWA_EVICTION_INTERVAL
    SGLANG_SYMM_MEM_PREALLOC_GB_SIZE SGLANG_SYNC_TOKEN_IDS_ACROSS_TP SGLANG_TBO_DEBUG
    SGLANG_TCP_STORE_PORT SGLANG_TEST_CONTROL_API_TIMEOUT_SECS
    SGLANG_TEST_CRASH_AFTER_STREAM_OUTPUTS SGLANG_TEST_DISAGG_FAILURE_PROB
    SGLANG_TEST_DISAGG_KV_CHECKSUM_MISMATCH_PROB SGLANG_TEST_DSA_TILELANG_FORCE
    SGLANG_TEST_FLAG_A SGLANG_TEST_FLAG_B SGLANG_TEST_FLUX3_IMAGE
    SGLANG_TEST_FLUX3_IMAGE_MODEL SGLANG_TEST_FLUX_MODEL_PATH
    SGLANG_TEST_FORCE_OPTIMISTIC_PREFILL_RETRY_PROB
    SGLANG_TEST_HICACHE_BACKEND_RANDOM_DELAY SGLANG_TEST_HICACHE_BACKEND_RANDOM_FAILURE
    SGLANG_TEST_HICACHE_H2D_DELAY_CYCLES SGLANG_TEST_LOG_DIR
    SGLANG_TEST_MAMBA_LAZY_ALLOC_FAIL SGLANG_TEST_MAX_RETRY SGLANG_TEST_METRICS_FILE
    SGLANG_TEST_METRICS_OUTPUT SGLANG_TEST_MING_IMAGE SGLANG_TEST_MOONCAKE_DEVICE
    SGLANG_TEST_NUM_INFERENCE_STEPS SGLANG_TEST_OPENAI_REQUEST_TIMEOUT_SECS
    SGLANG_TEST_OUTPUT_SIZE SGLANG_TEST_PD_DISAGG_BACKEND SGLANG_TEST_PD_DISAGG_DEVICES
    SGLANG_TEST_QWEN_IMAGE_EDIT_MODEL_PATH SGLANG_TEST_QWEN_IMAGE_MODEL_PATH
    SGLANG_TEST_RAGGED_VERIFY_FORCE_UNIFORM_CAPTURE SGLANG_TEST_REALTIME_WS_TIMEOUT_SECS
    SGLANG_TEST_REQUEST_TIME_STATS SGLANG_TEST_RETRACT SGLANG_TEST_RETRACT_INTERVAL
    SGLANG_TEST_RETRACT_NO_PREFILL_BS SGLANG_TEST_SCRIPTED_RUNTIME
    SGLANG_TEST_SCRIPTED_RUNTIME_IPC_ADDR
    SGLANG_TEST_SCRIPTED_RUNTIME_OUT_OF_BAND_ERROR_PATH
    SGLANG_TEST_SCRIPTED_RUNTIME_SYS_PATH_ENTRY SGLANG_TEST_SERVER_EXIT_POLL_INTERVAL_SECS
    SGLANG_TEST_SERVER_PORT SGLANG_TEST_SERVE_ARGS SGLANG_TEST_SKIP_CACHE_HIT_ASSERT
    SGLANG_TEST_STUCK_DETOKENIZER SGLANG_TEST_STUCK_DP_CONTROLLER
    SGLANG_TEST_STUCK_SCHEDULER_INIT SGLANG_TEST_STUCK_TOKENIZER
    SGLANG_TEST_TI2I_INPUT_IMAGE SGLANG_TEST_WAIT_SECS SGLANG_TEST_ZIMAGE_MODEL_PATH
    SGLANG_TIMEOUT_KEEP_ALIVE SGLANG_TOOL_STRICT_LEVEL SGLANG_TORCH_COMPILE_MODE
    SGLANG_TORCH_DYNAMIC_SHAPE SGLANG_TORCH_PROFILER_DIR SGLANG_TRACE_ASYNC
    SGLANG_TRACE_ASYNC_FLUSH_THRESHOLD SGLANG_TRACE_LEVEL SGLANG_TRACE_LOGITS_E2E
    SGLANG_TRACE_LOGITS_E2E_SYNC SGLANG_TRACE_QWEN35_FINAL_NORM
    SGLANG_TRACE_QWEN_MOE_DEEPEP_E2E SGLANG_TRACE_SAMPLER_E2E
    SGLANG_TRITON_COMPACT_EXTEND_ATTENTION SGLANG_TRITON_DECODE_ATTN_STATIC_KV_SPLITS
    SGLANG_TRITON_DECODE_SPLIT_TILE_SIZE SGLANG_TRITON_DENSE_PREFILL_ATTN
    SGLANG_TRITON_FP8_PREFILL_ATTN SGLANG_TRITON_LOAD_WARNING_THRESHOLD_GB
    SGLANG_TRITON_PREFILL_TRUNCATION_ALIGN_SIZE SGLANG_TRITON_SLOW_COMPILE_THRESHOLD_SECS
    SGLANG_TRTLLM_MHA_DECODE_SEQ_LEN_SPLITS SGLANG_TRTLLM_MOE_PDL_MAX_TOKENS
    SGLANG_TWO_STREAM_MAX_TOKENS SGLANG_UNIFIED_RADIX_TREE_CORE_BACKEND
    SGLANG_USE_1STAGE_ALLREDUCE SGLANG_USE_AG_AFTER_QLORA SGLANG_USE_AITER
    SGLANG_USE_AITER_AG SGLANG_USE_AITER_AR SGLANG_USE_AITER_FP8_PER_TOKEN
    SGLANG_USE_AITER_MOE_GU_ITLV SGLANG_USE_AITER_UNIFIED_ATTN SGLANG_USE_ATTN_TP_NGRAM
    SGLANG_USE_BREAKABLE_CUDA_GRAPH SGLANG_USE_CPU_ENGINE SGLANG_USE_CUDA_IPC_TRANSPORT
    SGLANG_USE_CUSTOM_ROUTER_SUM SGLANG_USE_CUSTOM_TRITON_KERNEL_CACHE
    SGLANG_USE_DEEPGEMM_BMM SGLANG_USE_FIA_NZ SGLANG_USE_FUSED_PARALLEL_QKNORM
    SGLANG_USE_HND_KVCACHE SGLANG_USE_IPC_POOL_HANDLE_CACHE
    SGLANG_USE_MESSAGE_QUEUE_BROADCASTER SGLANG_USE_MLX SGLANG_USE_MODELSCOPE
    SGLANG_USE_PICKLE_IPC SGLANG_USE_ROCM700A SGLANG_USE_ROCM_AITER_TGEMM
    SGLANG_USE_ROCM_CUDNN_BENCHMARK SGLANG_USE_ROCM_FLYDSL SGLANG_USE_ROCM_VAE
    SGLANG_USE_ROCM_VAE_CONV2D SGLANG_USE_ROCM_VAE_CONV2D_BF16
    SGLANG_USE_RUNAI_MODEL_STREAMER SGLANG_USE_SAGE_ATTENTION_IMPL
    SGLANG_USE_SGL_FA3_KERNEL SGLANG_USE_TRITON_ROUTER_SUM
    SGLANG_UVICORN_WORKER_HEALTHCHECK_TIMEOUT SGLANG_VAE_TORCH_COMPILE_MODE
    SGLANG_VALIDATE_MAMBA_REPLAY_STATE_INDICES SGLANG_VARLEN_FA
    SGLANG_VIT_ENABLE_CUDA_GRAPH SGLANG_VIT_ENABLE_VECTORIZED_POS_EMBED
    SGLANG_VLM_CACHE_SIZE_MB SGLANG_WAIT_PORT_TIMEOUT SGLANG_WAIT_WEIGHTS_READY_TIMEOUT
    SGLANG_WARMUP_TIMEOUT SGLANG_WEIGHT_CACHE_READY_TEMPLATE
    SGLANG_WEIGHT_CACHE_SOCKET_TEMPLATE SGLANG_XPU_LN_MOD_NUM_WARPS
    SGLANG_ZBAL_BOOTSTRAP_URL SGLANG_ZBAL_LOCAL_MEM_SIZE SGLANG_ZMQ_ALLOWED_PEERS
    SGLANG_ZMQ_SOURCE_IP SGL_FORCE_SHUTDOWN
  `,
};
