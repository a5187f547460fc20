import type { PodObject, PoolObject } from "../datastore/pool-objects.ts";

type Selecting = Pick<PoolObject, "name" | "matchLabels">;

/**
 * Finds the pools that select a pod, without asking each: of a pool's labels one is looked up, and only the pools which
 * have that one are asked for the rest.
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

/** The longest tells pools apart best: names of applications are longer than those of tiers. */
const keyOf = (labels: ReadonlyArray<[string, string]>): string | undefined =>
  labels.map(textOf).sort((a, b) => b.length - a.length)[0];
