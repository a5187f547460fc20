import { createHash } from "node:crypto";
import { isDeferred } from "./deferred.ts";

/** Returns the SHA-256 in hexadecimal. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Returns JSON with sorted keys, which is the same for values that differ only in the order of their keys. Deferred
 * values count as null.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonical(value)) ?? "null";
}

function canonical(value: unknown): unknown {
  if (isDeferred(value)) return null;
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, canonical(field)]),
  );
}
