/** An entry of `engineConfigs` of the core-metrics-extractor, with upstream's field names. */
export interface EngineConfig {
  readonly name: string;
  readonly queuedRequestsSpec?: string | undefined;
  readonly runningRequestsSpec?: string | undefined;
  readonly kvUsageSpec?: string | undefined;
  readonly loraSpec?: string | undefined;
  readonly cacheInfoSpec?: string | undefined;
  readonly cacheBlockSizeLabelName?: string | undefined;
  readonly cacheNumBlocksLabelName?: string | undefined;
  readonly cacheBlockSizeSpec?: string | undefined;
  readonly cacheNumBlocksSpec?: string | undefined;
  /** Maximum number of concurrent requests. Only built-in engines set it: upstream has no such field. */
  readonly maxRunningRequestsSpec?: string | undefined;
  /** Counter of the first tokens of all responses. Only built-in engines set it: upstream has no such field. */
  readonly firstTokensSpec?: string | undefined;
  /** Counter of completed responses. Only built-in engines set it: upstream has no such field. */
  readonly endedRequestsSpec?: string | undefined;
  /**
   * Counter of the tokens of all responses, raised at every step. Only built-in engines set it: upstream has no such
   * field.
   */
  readonly generatedTokensSpec?: string | undefined;
  /** Additional queues whose requests also wait. Only built-in engines set it: upstream has no such field. */
  readonly furtherQueueSpecs?: readonly string[] | undefined;
  /**
   * Older names of a metric, newest first, by its current name. They are read if the page has no metric with the
   * current name. Only built-in engines set it: upstream has no such field.
   */
  readonly olderNames?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Engines that need no configuration (llm-d-router, core-metrics-extractor). */
export const builtInEngines: readonly EngineConfig[] = [
  {
    name: "vllm",
    queuedRequestsSpec: "vllm:num_requests_waiting",
    runningRequestsSpec: "vllm:num_requests_running",
    kvUsageSpec: "vllm:kv_cache_usage_perc",
    loraSpec: "vllm:lora_requests_info",
    cacheInfoSpec: "vllm:cache_config_info",
    firstTokensSpec: "vllm:time_to_first_token_seconds_count",
    endedRequestsSpec: "vllm:e2e_request_latency_seconds_count",
    generatedTokensSpec: "vllm:generation_tokens_total",
    // vLLM before 0.9. Version 0.9 has both names.
    olderNames: { "vllm:kv_cache_usage_perc": ["vllm:gpu_cache_usage_perc"] },
  },
  {
    name: "sglang",
    queuedRequestsSpec: "sglang:num_queue_reqs",
    runningRequestsSpec: "sglang:num_running_reqs",
    kvUsageSpec: "sglang:token_usage",
    cacheInfoSpec: "sglang:cache_config_info",
    cacheBlockSizeLabelName: "page_size",
    cacheNumBlocksLabelName: "num_pages",
    firstTokensSpec: "sglang:time_to_first_token_seconds_count",
    endedRequestsSpec: "sglang:e2e_request_latency_seconds_count",
    // Queues for the stages of disaggregated serving and for structured output, which num_queue_reqs does not include.
    furtherQueueSpecs: [
      "sglang:num_grammar_queue_reqs",
      "sglang:num_prefill_bootstrap_queue_reqs",
      "sglang:num_prefill_inflight_queue_reqs",
      "sglang:num_decode_prealloc_queue_reqs",
      "sglang:num_decode_transfer_queue_reqs",
    ],
    olderNames: {
      // SGLang 0.3.
      "sglang:num_queue_reqs": ["sglang:num_requests_waiting"],
      "sglang:num_running_reqs": ["sglang:num_requests_running"],
      "sglang:num_prefill_bootstrap_queue_reqs": ["sglang:num_prefill_prealloc_queue_reqs"],
      // The first version with this queue misspells it.
      "sglang:num_prefill_inflight_queue_reqs": ["sglang:num_prefill_infight_queue_reqs"],
    },
  },
  {
    name: "trtllm-serve",
    queuedRequestsSpec: "trtllm_num_requests_waiting",
    runningRequestsSpec: "trtllm_num_requests_running",
    kvUsageSpec: "trtllm_kv_cache_utilization",
    cacheBlockSizeSpec: "trtllm_kv_cache_tokens_per_block",
    cacheNumBlocksSpec: "trtllm_kv_cache_max_blocks",
  },
  {
    name: "triton-tensorrt-llm",
    queuedRequestsSpec: "nv_trt_llm_request_metrics{request_type=waiting}",
    runningRequestsSpec: "nv_trt_llm_request_metrics{request_type=scheduled}",
    maxRunningRequestsSpec: "nv_trt_llm_request_metrics{request_type=max}",
    kvUsageSpec: "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=fraction}",
    cacheBlockSizeSpec: "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=tokens_per}",
    cacheNumBlocksSpec: "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=max}",
  },
  {
    name: "triton",
    queuedRequestsSpec: "nv_inference_pending_request_count",
    runningRequestsSpec: "nv_inference_exec_count",
  },
];
