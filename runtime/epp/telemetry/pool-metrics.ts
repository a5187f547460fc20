import type { Endpoint, ModelServerMetrics } from "../../../scheduling/endpoints/endpoint.ts";
import { type MetricFamily, metrics } from "../../../sdk/observability/metrics.ts";
import { computed, type Family, type Sample } from "../../manager/metrics/family.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";

export interface PoolView {
  readonly snapshot: () => PoolSnapshot;
  /** Milliseconds of the clock that dates the readings. */
  readonly now: () => number;
  /** Age from which a reading is stale, in ms. */
  readonly staleAfterMs: number;
}

/** Values of model servers, for which the pool's mean and deviation over fresh readings are reported. */
const readings = {
  kv_cache_utilization: {
    of: "share of the KV cache in use",
    mean: metrics.kvCacheUtilization,
    value: (m) => m.kvCacheUsage,
  },
  queue_size: { of: "waiting requests", value: (m) => m.waitingRequests },
  running_requests: { of: "running requests", value: (m) => m.runningRequests },
} as const satisfies Record<string, Reading>;

interface Reading {
  readonly of: string;
  /** Family of the mean. Default: `average_` and the key. */
  readonly mean?: MetricFamily;
  readonly value: (metrics: ModelServerMetrics) => number;
}

/**
 * Gauges of the pool for autoscalers, computed when they are read. Means are over endpoints with a fresh reading and
 * rounded to two decimals, as in the upstream picker. Without a fresh reading there is no mean.
 */
export function poolMetrics(view: PoolView): Family[] {
  const named = ["name"];
  const poolSample = (value: (fresh: readonly ModelServerMetrics[]) => number | undefined) =>
    function* (): Iterable<Sample> {
      const { pool } = view.snapshot();
      const result = pool && value(fresh(view));
      if (pool !== undefined && result !== undefined) yield { labels: [pool.name], value: result };
    };
  const gauge = (
    name: string,
    help: string,
    read: () => Iterable<Sample>,
    labels: readonly string[] = named,
  ) => computed("gauge", { name: `llm_d_epp_${name}`, help, labels }, read);

  const ready = computed(
    "gauge",
    metrics.readyEndpoints,
    poolSample((fresh) => fresh.length),
  );
  const statistics = Object.entries<Reading>(readings).flatMap(([name, reading]) => {
    const { of, value } = reading;
    const readMean = poolSample((fresh) => rounded(meanOf(fresh.map(value))));
    const mean = reading.mean
      ? computed("gauge", reading.mean, readMean)
      : gauge(`average_${name}`, `Mean of ${of} over the pool.`, readMean);
    const deviation = gauge(
      `std_dev_${name}`,
      `Standard deviation of ${of} over the pool.`,
      poolSample((fresh) => rounded(deviationOf(fresh.map(value)))),
    );
    return [mean, deviation];
  });
  const queue = gauge(
    "per_endpoint_queue_size",
    "Requests waiting at an endpoint.",
    () => queueSizes(view.snapshot()),
    ["name", "model_server_endpoint"],
  );
  const inflightRequests = computed("gauge", metrics.inflightRequests, () =>
    inflightOf(view.snapshot(), ({ live }) => live.runningRequests),
  );
  const inflightTokens = gauge(
    "inflight_tokens",
    "Estimated uncached prompt tokens of these requests.",
    () => inflightOf(view.snapshot(), ({ live }) => live.runningTokens),
    metrics.inflightRequests.labels,
  );
  return [ready, ...statistics, queue, inflightRequests, inflightTokens];
}

const inflightProducer = "inflight-load-producer";

/** Requests are counted per endpoint only. The labels of the client are kept empty. */
function* inflightOf(
  { endpoints }: PoolSnapshot,
  value: (endpoint: Endpoint) => number,
): Iterable<Sample> {
  for (const endpoint of endpoints)
    yield {
      labels: [rankName(endpoint), endpoint.namespace, inflightProducer, "", ""],
      value: value(endpoint),
    };
}

function* queueSizes({ pool, endpoints }: PoolSnapshot): Iterable<Sample> {
  if (pool === undefined) return;
  for (const endpoint of endpoints) {
    const { metrics } = endpoint.live;
    if (metrics !== undefined)
      yield { labels: [pool.name, rankName(endpoint)], value: metrics.waitingRequests };
  }
}

const rankName = ({ pod, rank }: Endpoint): string => `${pod}-rank-${rank}`;

/**
 * Readings that are not stale. They do not include endpoints that refuse connections, because other clusters choose by
 * these metrics.
 */
const fresh = ({ snapshot, now, staleAfterMs }: PoolView): ModelServerMetrics[] => {
  const oldest = now() - staleAfterMs;
  return snapshot().endpoints.flatMap(({ live }) =>
    live.metrics !== undefined && live.metrics.at >= oldest && !live.isDown ? [live.metrics] : [],
  );
};

function meanOf(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the standard deviation of a sample, which divides by the number of values minus 1. */
function deviationOf(values: readonly number[]): number | undefined {
  const mean = meanOf(values);
  if (mean === undefined) return undefined;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1));
}

const rounded = (value: number | undefined): number | undefined =>
  value && Math.round(value * 100) / 100;
