import { olderFirst } from "../../../sdk/routing/age.ts";
import type { SharedPool } from "../../endpoint-picker/sources/shared-pools-source.ts";

/** What a shared picker should serve, and what it cannot. */
export interface DesiredPools {
  /** By port. */
  readonly served: ReadonlyMap<number, SharedPool>;
  /** Why a pool is not served, by its name. */
  readonly refused: ReadonlyMap<string, string>;
}

/** A port belongs to the oldest pool that names it, among equals to the first by name. */
export function desiredPools(
  pools: readonly SharedPool[],
  ownPorts: ReadonlySet<number>,
): DesiredPools {
  const served = new Map<number, SharedPool>();
  const refused = new Map<string, string>();
  for (const shared of [...pools].sort((a, b) => olderFirst(a.pool, b.pool))) {
    const { pool, port } = shared;
    const owner = served.get(port);
    if (ownPorts.has(port))
      refused.set(pool.name, `port ${port} is one of the picker's own; name another`);
    else if (owner !== undefined)
      refused.set(pool.name, `port ${port} belongs to pool ${owner.pool.name}; name another`);
    else served.set(port, shared);
  }
  return { served, refused };
}
