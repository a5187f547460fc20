/** Names of the metrics that an engine publishes, without its prefix. */
export interface MetricNames {
  /** Prefix with its colon, such as `vllm:`. */
  readonly prefix: string;
  /** Names that queries use. Counters and histograms are listed without their suffix. The engine may have more. */
  readonly known: readonly string[];
  /** Names that no stored release publishes, each with the metric to use instead. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Option without which the engine publishes no metric. */
  readonly option: string | undefined;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** vLLM, v1/metrics/loggers.py. */
export const vllmMetrics: MetricNames = {
  prefix: "vllm:",
  known: words(`
    num_requests_running num_requests_waiting kv_cache_usage_perc num_preemptions request_success
    prompt_tokens generation_tokens iteration_tokens_total prompt_tokens_by_source
    prefix_cache_queries prefix_cache_hits external_prefix_cache_queries external_prefix_cache_hits
    time_to_first_token_seconds inter_token_latency_seconds request_time_per_output_token_seconds
    e2e_request_latency_seconds request_queue_time_seconds request_inference_time_seconds
    request_prefill_time_seconds request_decode_time_seconds request_prompt_tokens
    request_generation_tokens request_max_num_generation_tokens lora_requests_info cache_config_info
    spec_decode_num_drafts spec_decode_num_draft_tokens spec_decode_num_accepted_tokens`),
  replaced: {
    gpu_cache_usage_perc: "vllm:kv_cache_usage_perc",
    cpu_cache_usage_perc: "vllm:kv_cache_usage_perc",
    num_requests_swapped: "vllm:num_preemptions_total",
    time_per_output_token_seconds: "vllm:inter_token_latency_seconds",
    time_in_queue_requests: "vllm:request_queue_time_seconds",
    avg_generation_throughput_toks_per_s: "a rate of vllm:generation_tokens_total",
    avg_prompt_throughput_toks_per_s: "a rate of vllm:prompt_tokens_total",
  },
  option: undefined,
};

/** SGLang, the observability folder of 0.5.23. */
export const sglangMetrics: MetricNames = {
  prefix: "sglang:",
  known: words(`
    num_running_reqs num_queue_reqs num_grammar_queue_reqs num_prefill_bootstrap_queue_reqs
    num_prefill_inflight_queue_reqs num_decode_prealloc_queue_reqs num_decode_transfer_queue_reqs
    num_used_tokens token_usage full_token_usage gen_throughput cache_hit_rate utilization
    prompt_tokens generation_tokens cached_tokens num_requests num_aborted_requests num_retracted_reqs
    time_to_first_token_seconds inter_token_latency_seconds e2e_request_latency_seconds
    queue_time_seconds max_total_num_tokens spec_accept_length spec_accept_rate`),
  replaced: {
    num_requests_waiting: "sglang:num_queue_reqs",
    num_requests_running: "sglang:num_running_reqs",
    time_per_output_token_seconds: "sglang:inter_token_latency_seconds",
  },
  option: "--enable-metrics",
};
