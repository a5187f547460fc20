import type { PoolObject } from "./read-pool.ts";

export const isExport = (pool: PoolObject | undefined): boolean =>
  pool?.export !== undefined && !pool.deleting;

/**
 * Returns the names of the exported pools beyond the limit: the youngest ones, and within one second the last ones by
 * name.
 *
 * @param pools by `namespace/name`
 */
export function exportsBeyond(
  pools: ReadonlyMap<string, PoolObject>,
  most: number,
): ReadonlySet<string> {
  const exported = [...pools]
    .filter(([, pool]) => isExport(pool))
    .map(([key, { createdAt }]) => ({ key, createdAt }));
  if (exported.length <= most) return new Set();
  const byAge = exported.sort((a, b) =>
    a.createdAt === b.createdAt ? (a.key < b.key ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  );
  return new Set(byAge.slice(most).map(({ key }) => key));
}
