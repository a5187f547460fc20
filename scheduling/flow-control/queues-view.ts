/** What waits at a moment. */
export interface QueuesView {
  readonly requests: number;
  readonly bytes: number;
  /** The most requests that may wait; infinity if there is no limit. */
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** Requests that left the queues a second, over some ten seconds. */
  readonly dispatchedPerSecond: number;
  /** The highest priority first. */
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
  /** Requests that were dispatched and have not ended. */
  readonly inFlight: number;
  /** Milliseconds for which the request has waited that goes next; undefined where none waits. */
  readonly headWaitsFor: number | undefined;
}
