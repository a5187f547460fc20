import type { Family } from "../../manager/metrics/family.ts";

/** Label of upstream's metrics that contains the pool. */
const poolLabel = "inference_pool";

/** Merges the families of several pools: families of one name become one, with the name of the pool in each series. */
export function poolFamilies(pools: ReadonlyMap<string, readonly Family[]>): readonly Family[] {
  const byName = new Map<string, Array<readonly [pool: string, Family]>>();
  for (const [pool, families] of pools)
    for (const family of families) {
      const same = byName.get(family.name);
      if (same === undefined) byName.set(family.name, [[pool, family]]);
      else same.push([pool, family]);
    }
  return [...byName.values()].map(together);
}

function together(members: ReadonlyArray<readonly [pool: string, Family]>): Family {
  const [, first] = members[0] as (typeof members)[number];
  const isNotified = first.labels.includes(poolLabel);
  return {
    ...{ name: first.name, help: first.help, type: first.type },
    labels: isNotified ? first.labels : [...first.labels, poolLabel],
    *read() {
      for (const [pool, family] of members)
        for (const { labels, value } of family.read())
          yield { labels: isNotified ? labels : [...labels, pool], value };
    },
  };
}
