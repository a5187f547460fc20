import * as scorers from "../config/plugins/scorers.ts";
import type { Cycle } from "../cycle.ts";
import type { Endpoint, ModelServerMetrics } from "../endpoint.ts";
import { pluginType } from "../plugin.ts";

/**
 * Scorers of what servers say of themselves. A server whose metrics are too old scores 0: it may be the one that
 * stopped answering.
 */

/** The least of all is 1, the most 0, and all are 1 where they are equal. */
function leastIsBest(
  cycle: Cycle,
  endpoints: readonly Endpoint[],
  measure: (metrics: ModelServerMetrics) => number,
): Float64Array {
  const values = Float64Array.from(endpoints, (endpoint) => {
    const metrics = cycle.metrics(endpoint);
    return metrics === undefined ? Number.NaN : measure(metrics);
  });
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  // What is not known stays NaN, which counts as 0.
  return values.map((value) => {
    if (Number.isNaN(value)) return 0;
    return most === least ? 1 : (most - value) / (most - least);
  });
}

export const queueScorer = pluginType({
  ...scorers.queueScorer,
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.waitingRequests),
    },
  }),
});

export const runningRequestsSizeScorer = pluginType({
  ...scorers.runningRequestsSizeScorer,
  create: () => ({
    scorer: {
      score: (cycle, endpoints) => leastIsBest(cycle, endpoints, (m) => m.runningRequests),
    },
  }),
});

export const kvCacheUtilizationScorer = pluginType({
  ...scorers.kvCacheUtilizationScorer,
  create: () => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => 1 - (cycle.metrics(endpoint)?.kvCacheUsage ?? 1)),
    },
  }),
});

export const loadAwareScorer = pluginType({
  ...scorers.loadAwareScorer,
  create: ({ threshold }) => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => {
          const waiting = cycle.metrics(endpoint)?.waitingRequests ?? threshold;
          return 0.5 * (1 - Math.min(waiting, threshold) / threshold);
        }),
    },
  }),
});

export const loraAffinityScorer = pluginType({
  ...scorers.loraAffinityScorer,
  create: () => ({
    scorer: {
      score: (cycle, endpoints) =>
        endpoints.map((endpoint) => adapterScore(cycle, endpoint, cycle.request.targetModel)),
    },
  }),
});

function adapterScore(cycle: Cycle, endpoint: Endpoint, model: string): number {
  const metrics = cycle.metrics(endpoint);
  if (metrics === undefined) return 0;
  const { activeModels, waitingModels, maxActiveModels } = metrics;
  if (activeModels.has(model)) return 1;
  if (activeModels.size + waitingModels.size < maxActiveModels) return 0.8;
  return waitingModels.has(model) ? 0.6 : 0;
}
