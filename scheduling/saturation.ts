import type { Endpoint } from "./endpoint.ts";

/** Says how full an endpoint is: 1 and more is full. */
export interface SaturationDetector {
  saturation(endpoint: Endpoint, now: number): number;
  /** Requests for which an endpoint has room, where the configuration says it. */
  readonly slots?: number;
  /** Whether nothing new is known of an endpoint, so that its saturation says nothing. Default: never. */
  isStale?(endpoint: Endpoint, now: number): boolean;
  /** How full endpoints are together, of which there is at least one. Default: the mean of each. */
  ofPool?(endpoints: readonly Endpoint[], now: number): number;
  /** Milliseconds after the end of a request until the room that it leaves is seen. Default 10. */
  readonly lag?: number;
}

/** Says how full endpoints are together, 1 where there are none. */
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
