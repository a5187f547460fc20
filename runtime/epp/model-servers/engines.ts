import { builtInEngines, type EngineConfig } from "../../../scheduling/endpoints/engines.ts";
import { type MetricSpec, parseMetricSpec } from "../../../scheduling/endpoints/metric-spec.ts";
import { engineTypeLabels } from "../../../scheduling/label-keys.ts";

/** Names of an engine's metrics that the picker reads; undefined if the engine does not have the metric. */
export interface EngineMetrics {
  readonly waitingRequests?: MetricSpec | undefined;
  readonly runningRequests?: MetricSpec | undefined;
  readonly maxRunningRequests?: MetricSpec | undefined;
  readonly kvCacheUsage?: MetricSpec | undefined;
  /** Series whose labels list adapters; the series with the largest value is used. */
  readonly adapters?: MetricSpec | undefined;
  /** Series whose labels have the block size and the number of blocks. */
  readonly cacheInfo?: MetricSpec | undefined;
  readonly blockSizeLabel: string;
  readonly blocksLabel: string;
  /** Metric of the block size, for engines without these labels. */
  readonly cacheBlockSize?: MetricSpec | undefined;
  readonly cacheBlocks?: MetricSpec | undefined;
  /** Counter of responses that started. */
  readonly firstTokens?: MetricSpec | undefined;
  /** Counter of responses that ended. */
  readonly endedRequests?: MetricSpec | undefined;
  /** Counter of output tokens, increased with every step. */
  readonly generatedTokens?: MetricSpec | undefined;
  /** Further queues, whose requests count as waiting. */
  readonly furtherQueues: readonly MetricSpec[];
  /** Older metrics to read in order if a page lacks the key. */
  readonly older: ReadonlyMap<MetricSpec, readonly MetricSpec[]>;
}

export interface EngineOptions {
  /** Default `llm-d.ai/engine-type`. The older label is read if it is absent. */
  readonly engineLabelKey?: string | undefined;
  /** Engine of pods without the label. Default vllm. */
  readonly defaultEngine?: string | undefined;
  /** Engines in addition to the built-in ones; one with a built-in name replaces it. */
  readonly engineConfigs?: readonly EngineConfig[] | undefined;
}

/**
 * Returns a function from pod labels to the metrics of the engine; undefined for an unknown engine.
 * @throws Error for an invalid metric or an unknown default engine
 */
export function engineResolver({
  engineLabelKey = engineTypeLabels[0],
  defaultEngine = "vllm",
  engineConfigs = [],
}: EngineOptions = {}): (labels: Readonly<Record<string, string>>) => EngineMetrics | undefined {
  const engines = new Map(
    [...builtInEngines, ...engineConfigs].map((config) => [config.name, engineMetrics(config)]),
  );
  if (!engines.has(defaultEngine))
    throw new Error(
      `defaultEngine "${defaultEngine}" is unknown; known engines: ${[...engines.keys()].join(", ")}`,
    );
  const keys = [engineLabelKey, engineTypeLabels[1]];
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
  const metrics = {
    waitingRequests: spec(config.queuedRequestsSpec),
    runningRequests: spec(config.runningRequestsSpec),
    maxRunningRequests: spec(config.maxRunningRequestsSpec),
    kvCacheUsage: spec(config.kvUsageSpec),
    adapters: spec(config.loraSpec),
    cacheInfo: spec(config.cacheInfoSpec),
    cacheBlockSize: spec(config.cacheBlockSizeSpec),
    cacheBlocks: spec(config.cacheNumBlocksSpec),
    firstTokens: spec(config.firstTokensSpec),
    endedRequests: spec(config.endedRequestsSpec),
    generatedTokens: spec(config.generatedTokensSpec),
  };
  const furtherQueues = (config.furtherQueueSpecs ?? []).map(parseMetricSpec);
  const read = [...Object.values(metrics), ...furtherQueues].filter(isMetric);
  const older = read.flatMap((metric) => {
    const names = config.olderNames?.[metric.family] ?? [];
    return names.length === 0 ? [] : [[metric, names.map(parseMetricSpec)] as const];
  });
  return {
    ...metrics,
    blockSizeLabel: config.cacheBlockSizeLabelName || "block_size",
    blocksLabel: config.cacheNumBlocksLabelName || "num_gpu_blocks",
    furtherQueues,
    older: new Map(older),
  };
}

const isMetric = (metric: MetricSpec | undefined) => metric !== undefined;
