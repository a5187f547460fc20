import type { WaitedSeconds } from "./wait-times.ts";

/** The queued requests at one time. */
export interface QueuesView {
  readonly requests: number;
  readonly bytes: number;
  /** Maximum number of queued requests; infinite without a limit. */
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Requests that left the queues per second, over about ten seconds. */
  readonly dispatchedPerSecond: number;
  /** Time that requests have been queued since the start, in request-seconds by reason. */
  readonly waitedSeconds: WaitedSeconds;
  /** Highest priority first. */
  readonly bands: readonly BandView[];
}

export interface BandView {
  readonly priority: number;
  readonly requests: number;
  readonly bytes: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly flows: readonly FlowView[];
}

export interface FlowView {
  readonly id: string;
  readonly requests: number;
  readonly bytes: number;
  /** Number of dispatched requests that have not ended. */
  readonly inFlight: number;
  /** Time for which the next request has waited, in ms; undefined if none is queued. */
  readonly headWaitsFor: number | undefined;
}
