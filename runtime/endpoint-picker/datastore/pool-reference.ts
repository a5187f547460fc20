import type { PoolObject, PoolReference } from "./pool-objects.ts";

/** A reference of an objective or rewrite names this pool. They stand in the pool's namespace. */
export const refersTo = (reference: PoolReference, pool: PoolObject): boolean =>
  reference.name === pool.name &&
  reference.kind === "InferencePool" &&
  reference.group === pool.group;
