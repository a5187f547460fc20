import { isMap } from "./records.ts";

/** Maximum number of values in a document with resolved aliases: a thousand large manifests have that number. */
export const mostValues = 1_000_000;
/** Maximum depth of nested maps and lists. */
export const deepest = 500;

/**
 * Returns the reason why a value is infinite or too large, otherwise undefined: in YAML, a node may contain itself,
 * and may be referenced many times.
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
