import type { CeilingPolicy, FairnessPolicy, OrderingPolicy } from "./policies.ts";
import type { EvictionSettings } from "./reclaim.ts";

/** Flow control as configured, with every default filled in. */
export interface FlowControlSettings {
  /** Limits of all queues together; infinite if not configured. */
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Time for which a request waits while the pool has endpoints, in ms; infinite without a limit. */
  readonly requestTtl: number;
  /** Time for which a request waits while the pool is empty, in ms; infinite without a limit. */
  readonly noEndpointTtl: number;
  /** Configured bands, which always exist. */
  readonly bands: readonly BandSettings[];
  /** Template for bands of other priorities, which are created when a request arrives. */
  readonly defaultBand: BandTemplate;
  /** Template for bands of other priorities below 0. */
  readonly defaultNegativeBand: BandTemplate;
  readonly ceilings: CeilingPolicy;
  /** Whether bands dispatch strictly by priority, or share by weight up to their ceilings. */
  readonly bandPolicy: "strict" | "weighted";
  /** Settings for evicting in-flight requests; undefined if none are evicted. */
  readonly eviction: EvictionSettings | undefined;
}

export interface BandTemplate {
  /** Share of the band, if bands share by weight. */
  readonly weight: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly fairness: FairnessPolicy;
  readonly ordering: OrderingPolicy;
}

export interface BandSettings extends BandTemplate {
  readonly priority: number;
}
