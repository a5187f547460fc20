import type { CeilingPolicy, FairnessPolicy, OrderingPolicy } from "./policies.ts";
import type { EvictionSettings } from "./reclaim.ts";

/** Flow control as configured, with every default filled in. */
export interface FlowControlSettings {
  /** Limits of all queues together; infinite where none is configured. */
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Milliseconds for which a request waits while the pool has endpoints; infinite: for ever. */
  readonly requestTtl: number;
  /** The same while the pool is empty. */
  readonly noEndpointTtl: number;
  /** Bands that are there from the start, and stay. */
  readonly bands: readonly BandSettings[];
  /** Bands of other priorities are made of it when a request comes, each its own. */
  readonly defaultBand: BandTemplate;
  /** The same for priorities below 0. */
  readonly defaultNegativeBand: BandTemplate;
  readonly ceilings: CeilingPolicy;
  /** Bands go strictly by priority; or they share by weight, as far as their ceilings let them. */
  readonly bandPolicy: "strict" | "weighted";
  /** How requests on their way are cut off for those of higher priority; undefined where they are not. */
  readonly eviction: EvictionSettings | undefined;
}

export interface BandTemplate {
  /** Its share where bands share by weight. */
  readonly weight: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly fairness: FairnessPolicy;
  readonly ordering: OrderingPolicy;
}

export interface BandSettings extends BandTemplate {
  readonly priority: number;
}
