import type { EngineState } from "../../sdk/simulation/engine/virtual-engine.ts";
import type { SimulationOptions } from "./simulation.ts";

/** Families of a vLLM page that the picker does not read: their size is what a scraper pays for. */
const histograms = [
  "vllm:inter_token_latency_seconds",
  "vllm:request_queue_time_seconds",
  "vllm:request_inference_time_seconds",
  "vllm:request_prefill_time_seconds",
  "vllm:request_decode_time_seconds",
  "vllm:request_prompt_tokens",
  "vllm:request_generation_tokens",
  "vllm:iteration_tokens_total",
  "http_request_duration_seconds",
];
const counters = [
  "vllm:prompt_tokens_total",
  "vllm:num_preemptions_total",
  "vllm:prefix_cache_queries_total",
  "vllm:prefix_cache_hits_total",
  "process_cpu_seconds_total",
];

/** A metrics page with vLLM's names. `full` adds the histograms and counters of a real one, about 20 KB. */
export function metricsPage(
  model: string,
  state: EngineState,
  options: Required<SimulationOptions>,
  { full = false, at = 0 }: { full?: boolean; at?: number } = {},
): string {
  const labels = `engine="0",model_name="${model}"`;
  const gauge = (name: string, value: number) =>
    `# HELP ${name} ${name}\n# TYPE ${name} gauge\n${name}{${labels}} ${value.toFixed(4)}\n`;
  const counter = (name: string, value: number) => `${name}{${labels}} ${value.toFixed(1)}\n`;
  const adapters = `max_lora="${options.adapterSlots}",running_lora_adapters="${state.activeAdapters.join(", ")}",waiting_lora_adapters="${state.waitingAdapters.join(", ")}"`;
  const cache = `block_size="${options.blockTokens}",cache_dtype="auto",engine="0",num_gpu_blocks="${options.cacheBlocks}"`;
  return [
    full ? others(labels) : "",
    gauge("vllm:num_requests_running", state.running),
    gauge("vllm:num_requests_waiting", state.waiting),
    counter("vllm:time_to_first_token_seconds_count", state.firstTokens),
    counter("vllm:e2e_request_latency_seconds_count", state.endedRequests),
    counter("vllm:generation_tokens_total", state.generatedTokens),
    gauge("vllm:kv_cache_usage_perc", state.cacheUsage),
    `# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{${cache}} 1.0\n`,
    `# TYPE vllm:lora_requests_info gauge\nvllm:lora_requests_info{${adapters}} ${at}\n`,
  ].join("");
}

function others(labels: string): string {
  const bounds = Array.from({ length: 18 }, (_, at) => (0.001 * 2 ** at).toFixed(3));
  const histogram = (name: string) =>
    [
      `# HELP ${name} Histogram of ${name}.\n# TYPE ${name} histogram\n`,
      ...bounds.map((le, at) => `${name}_bucket{${labels},le="${le}"} ${at * 100}.0\n`),
      `${name}_bucket{${labels},le="+Inf"} 1800.0\n${name}_count{${labels}} 1800.0\n${name}_sum{${labels}} 123.456\n`,
    ].join("");
  const counter = (name: string) => `# TYPE ${name} counter\n${name}{${labels}} 123456.0\n`;
  return [...counters.map(counter), ...histograms.map(histogram)].join("");
}
