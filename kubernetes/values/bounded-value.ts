import { isMap } from "./records.ts";

/** Most values of a document whose aliases are unfolded: a thousand large manifests have as many. */
export const mostValues = 1_000_000;
/** Most maps and lists inside one another. */
export const deepest = 500;

/**
 * Returns the reason why a value has no end or has too much in it, and undefined for any other: YAML may name a node
 * inside itself, and many times.
 */
export function boundBroken(value: unknown): string | undefined {
  let left = mostValues;
  const around = new Set<unknown>();
  const walk = (each: unknown): string | undefined => {
    left -= 1;
    if (left < 0) return `has more than ${mostValues} values, with aliases expanded`;
    if (!Array.isArray(each) && !isMap(each)) return undefined;
    if (around.has(each)) return "contains an alias that refers to itself";
    if (around.size >= deepest) return `is nested more than ${deepest} levels deep`;
    around.add(each);
    for (const inner of Object.values(each)) {
      const broken = walk(inner);
      if (broken !== undefined) return broken;
    }
    around.delete(each);
    return undefined;
  };
  return walk(value);
}
