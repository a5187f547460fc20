import type { Endpoint } from "../endpoints/endpoint.ts";

export interface Scored {
  readonly endpoint: Endpoint;
  /** Sum of weight times score over all scorers. */
  readonly score: number;
}

/** The endpoints that a profile selected, and the scores of all its candidates. */
export interface ProfileResult {
  readonly endpoints: readonly Endpoint[];
  readonly scored: readonly Scored[];
}
