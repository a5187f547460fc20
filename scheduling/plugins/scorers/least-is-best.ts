import type { Cycle } from "../../cycle.ts";
import type { Endpoint, ModelServerMetrics } from "../../endpoint.ts";

/**
 * Scores of what servers say of themselves. A server whose metrics are too old scores 0: it may be the one that stopped
 * answering.
 */

/** The least of all is 1, the most 0, and all are 1 where they are equal. */
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
  // What is not known stays NaN, which counts as 0.
  return values.map((value) => {
    if (Number.isNaN(value)) return 0;
    return most === least ? 1 : (most - value) / (most - least);
  });
}
