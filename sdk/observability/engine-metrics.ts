import { builtInEngines } from "../../scheduling/endpoints/engines.ts";
import { type MetricSpec, parseMetricSpec } from "../../scheduling/endpoints/metric-spec.ts";

/**
 * Metrics of engines that dashboards read. Each value has one metric per engine, with the conditions on its labels. The
 * first three are the metrics that the picker reads.
 */

const specs = (texts: ReadonlyArray<string | undefined>): MetricSpec[] =>
  texts.flatMap((text) => (text === undefined ? [] : [parseMetricSpec(text)]));

export const engineMetrics = {
  /** Requests that the engine computes. */
  running: specs(builtInEngines.map(({ runningRequestsSpec }) => runningRequestsSpec)),
  /** Requests that wait in the engine, in all of its queues. */
  waiting: specs(
    builtInEngines.flatMap(({ queuedRequestsSpec, furtherQueueSpecs = [] }) => [
      queuedRequestsSpec,
      ...furtherQueueSpecs,
    ]),
  ),
  /** Share of the KV cache in use. */
  kvCache: specs(
    builtInEngines.flatMap(({ kvUsageSpec, olderNames = {} }) =>
      kvUsageSpec === undefined ? [] : [kvUsageSpec, ...(olderNames[kvUsageSpec] ?? [])],
    ),
  ),
  /** Counter of computed prompt tokens (vLLM, metrics/loggers.py; SGLang, metrics/collector.py). */
  promptTokens: specs(["vllm:prompt_tokens_total", "sglang:prompt_tokens_total"]),
  /** Counter of generated tokens. SGLang raises it at the end of a request. */
  generatedTokens: specs(["vllm:generation_tokens_total", "sglang:generation_tokens_total"]),
  /** Counter of requests that lost their KV cache to others and are computed again. Only vLLM has it. */
  preemptions: specs(["vllm:num_preemptions_total"]),
} as const;

/** Metrics of NVIDIA's dcgm-exporter (etc/default-counters.csv), each with labels of the pod that uses the GPU. */
export const gpuMetrics = {
  /** Percent of the time in which the GPU worked. */
  utilization: "DCGM_FI_DEV_GPU_UTIL",
  /** Memory in use, in MiB. */
  memory: "DCGM_FI_DEV_FB_USED",
} as const;
