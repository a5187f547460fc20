import { type MetricSpec, parseMetricSpec } from "./metric-spec.ts";

/** Which of an engine's metrics say what the picker wants to know; undefined where the engine has none. */
export interface EngineMetrics {
  readonly waitingRequests?: MetricSpec | undefined;
  readonly runningRequests?: MetricSpec | undefined;
  readonly kvCacheUsage?: MetricSpec | undefined;
  /** Series whose labels name adapters; the one with the largest value counts. */
  readonly adapters?: MetricSpec | undefined;
  /** Series whose labels say block size and number of blocks. */
  readonly cacheInfo?: MetricSpec | undefined;
  readonly blockSizeLabel: string;
  readonly blocksLabel: string;
  /** Where they are values of their own instead. */
  readonly cacheBlockSize?: MetricSpec | undefined;
  readonly cacheBlocks?: MetricSpec | undefined;
}

/** An entry of `engineConfigs` of the core-metrics-extractor, by upstream's field names. */
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
}

/** Engines that are known without configuration (llm-d-router, core-metrics-extractor). */
export const builtInEngines: readonly EngineConfig[] = [
  {
    name: "vllm",
    queuedRequestsSpec: "vllm:num_requests_waiting",
    runningRequestsSpec: "vllm:num_requests_running",
    kvUsageSpec: "vllm:kv_cache_usage_perc",
    loraSpec: "vllm:lora_requests_info",
    cacheInfoSpec: "vllm:cache_config_info",
  },
  {
    name: "sglang",
    queuedRequestsSpec: "sglang:num_queue_reqs",
    runningRequestsSpec: "sglang:num_running_reqs",
    kvUsageSpec: "sglang:token_usage",
    cacheInfoSpec: "sglang:cache_config_info",
    cacheBlockSizeLabelName: "page_size",
    cacheNumBlocksLabelName: "num_pages",
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

/** Pod labels that name the engine; the newer one wins. */
export const engineLabels = ["llm-d.ai/engine-type", "inference.networking.k8s.io/engine-type"];

export interface EngineOptions {
  /** Default `llm-d.ai/engine-type`; the older key is read where it is absent. */
  readonly engineLabelKey?: string | undefined;
  /** Engine of pods without the label. Default vllm. */
  readonly defaultEngine?: string | undefined;
  /** Engines beside or in place of the built-in ones. */
  readonly engineConfigs?: readonly EngineConfig[] | undefined;
}

/**
 * Which metrics a pod with these labels has; undefined for a label that names no known engine.
 * @throws Error for a wrong metric or an unknown default engine
 */
export function engineResolver({
  engineLabelKey = engineLabels[0],
  defaultEngine = "vllm",
  engineConfigs = [],
}: EngineOptions = {}): (labels: Readonly<Record<string, string>>) => EngineMetrics | undefined {
  const engines = new Map(
    [...builtInEngines, ...engineConfigs].map((config) => [config.name, engineMetrics(config)]),
  );
  if (!engines.has(defaultEngine))
    throw new Error(
      `defaultEngine "${defaultEngine}" is unknown; there are ${[...engines.keys()].join(", ")}`,
    );
  const keys = [engineLabelKey as string, engineLabels[1] as string];
  return (labels) => {
    const named = keys
      .map((key) => labels[key])
      .find((value) => value !== undefined && value !== "");
    return engines.get(named ?? defaultEngine);
  };
}

function engineMetrics(config: EngineConfig): EngineMetrics {
  const spec = (text: string | undefined) =>
    text === undefined || text === "" ? undefined : parseMetricSpec(text);
  return {
    waitingRequests: spec(config.queuedRequestsSpec),
    runningRequests: spec(config.runningRequestsSpec),
    kvCacheUsage: spec(config.kvUsageSpec),
    adapters: spec(config.loraSpec),
    cacheInfo: spec(config.cacheInfoSpec),
    blockSizeLabel: config.cacheBlockSizeLabelName || "block_size",
    blocksLabel: config.cacheNumBlocksLabelName || "num_gpu_blocks",
    cacheBlockSize: spec(config.cacheBlockSizeSpec),
    cacheBlocks: spec(config.cacheNumBlocksSpec),
  };
}
