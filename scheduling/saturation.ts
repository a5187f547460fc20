import type { Endpoint } from "./endpoint.ts";
import type { SaturationDetector } from "./plugin.ts";

/** Says how full endpoints are together: the mean of each, and 1 where there are none. */
export function meanSaturation(
  detector: SaturationDetector,
  endpoints: readonly Endpoint[],
  now: number,
): number {
  if (endpoints.length === 0) return 1;
  let sum = 0;
  for (const endpoint of endpoints) sum += detector.saturation(endpoint, now);
  return sum / endpoints.length;
}
