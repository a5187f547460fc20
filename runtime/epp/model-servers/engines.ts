import { builtInEngines, type EngineConfig } from "../../../scheduling/engines.ts";
import { type MetricSpec, parseMetricSpec } from "../../../scheduling/metric-spec.ts";

/** Which of an engine's metrics say what the picker wants to know; undefined where the engine has none. */
export interface EngineMetrics {
  readonly waitingRequests?: MetricSpec | undefined;
  readonly runningRequests?: MetricSpec | undefined;
  readonly maxRunningRequests?: MetricSpec | undefined;
  readonly kvCacheUsage?: MetricSpec | undefined;
  /** Series whose labels name adapters; the one with the largest value counts. */
  readonly adapters?: MetricSpec | undefined;
  /** Series whose labels say block size and number of blocks. */
  readonly cacheInfo?: MetricSpec | undefined;
  readonly blockSizeLabel: string;
  readonly blocksLabel: string;
  /** The metric of the block size, for engines that have no such labels. */
  readonly cacheBlockSize?: MetricSpec | undefined;
  readonly cacheBlocks?: MetricSpec | undefined;
  /** Counts answers that began. */
  readonly firstTokens?: MetricSpec | undefined;
  /** Counts answers that ended. */
  readonly endedRequests?: MetricSpec | undefined;
  /** Counts tokens of answers, with every step. */
  readonly generatedTokens?: MetricSpec | undefined;
  /** Further queues, whose requests count as waiting. */
  readonly furtherQueues: readonly MetricSpec[];
  /** Metrics to read if a page lacks the key, in order. */
  readonly older: ReadonlyMap<MetricSpec, readonly MetricSpec[]>;
}

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
      `defaultEngine "${defaultEngine}" is unknown; known engines: ${[...engines.keys()].join(", ")}`,
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
