import type { Endpoint } from "./endpoint.ts";

/** Measures how full an endpoint is; 1 or more is full. */
export interface SaturationDetector {
  saturation(endpoint: Endpoint, now: number): number;
  /** Slots per endpoint, if the configuration sets them. */
  readonly slots?: number;
  /** Whether the endpoint's data is stale, which makes its saturation meaningless. Default: never. */
  isStale?(endpoint: Endpoint, now: number): boolean;
  /** Saturation of several endpoints together. Called with at least one. Default: the mean. */
  ofPool?(endpoints: readonly Endpoint[], now: number): number;
  /** Time from the end of a request until its free slot is visible, in ms. Default 10. */
  readonly lag?: number;
}

/** Returns the saturation of several endpoints together; 1 if there are none. */
export function poolSaturation(
  detector: SaturationDetector,
  endpoints: readonly Endpoint[],
  now: number,
): number {
  if (endpoints.length === 0) return 1;
  if (detector.ofPool !== undefined) return detector.ofPool(endpoints, now);
  let sum = 0;
  for (const endpoint of endpoints) sum += detector.saturation(endpoint, now);
  return sum / endpoints.length;
}
