import type { PodObject, PoolObject } from "../datastore/pool-objects.ts";

type Selecting = Pick<PoolObject, "name" | "matchLabels">;

/**
 * Returns a function that finds the pools that select a pod. It does not check every pool: pools are indexed by one of
 * their labels, and only pools with a matching label are checked in full.
 */
export function poolsBySelector(
  pools: Iterable<Selecting>,
): (pod: Pick<PodObject, "labels">) => string[] {
  const byLabel = new Map<string, Selecting[]>();
  const always: Selecting[] = [];
  for (const pool of pools) {
    const label = keyOf(Object.entries(pool.matchLabels));
    if (label === undefined) always.push(pool);
    else byLabel.set(label, [...(byLabel.get(label) ?? []), pool]);
  }
  return ({ labels }) =>
    [...always, ...Object.entries(labels).flatMap((label) => byLabel.get(textOf(label)) ?? [])]
      .filter(({ matchLabels }) =>
        Object.entries(matchLabels).every(([key, value]) => labels[key] === value),
      )
      .map(({ name }) => name);
}

const textOf = ([key, value]: readonly [string, string]) => `${key}=${value}`;

/** Returns the longest label, which distinguishes pools best: names of applications are longer than names of tiers. */
const keyOf = (labels: ReadonlyArray<[string, string]>): string | undefined =>
  labels.map(textOf).sort((a, b) => b.length - a.length)[0];
