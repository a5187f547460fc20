import type { Endpoint, ModelServerMetrics } from "../../endpoints/endpoint.ts";
import type { Cycle } from "../../profiles/cycle.ts";

/** Scores of metrics that servers report. A server with stale metrics scores 0: it may have stopped responding. */

/** Returns 1 for the lowest value and 0 for the highest, or 1 for all if they are equal. */
export function leastIsBest(
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
  // Unknown values are NaN here and score 0.
  return values.map((value) => {
    if (Number.isNaN(value)) return 0;
    return most === least ? 1 : (most - value) / (most - least);
  });
}
