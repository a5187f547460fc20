import { isDeepStrictEqual } from "node:util";
import { isMap, ownField } from "./records.ts";

/**
 * Returns the JSON merge patch (RFC 7386) that turns one object into another; undefined if they are equal. Lists are
 * replaced as a whole.
 */
export function mergePatch(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) if (ownField(to, key) === undefined) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const before = ownField(from, key);
    if (value === undefined || isDeepStrictEqual(before, value)) continue;
    patch[key] = isMap(before) && isMap(value) ? mergePatch(before, value) : value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
