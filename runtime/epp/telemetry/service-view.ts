import type { PoolSnapshot } from "../datastore/snapshot.ts";

export interface ServiceView {
  readonly snapshot: () => PoolSnapshot;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Window of the P95 latencies, in ms. */
  readonly objectiveWindowMs: number;
}

/** `namespace/name` of the pool. */
export const poolLabel = ({ pool }: PoolSnapshot): string =>
  pool === undefined ? "" : `${pool.namespace}/${pool.name}`;
