import { createHash } from "node:crypto";
import { isDeferred } from "../kubernetes/deferred.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";

/**
 * A short hash of what a service runs. Counts (`replicas`, `minReplicas`) are left out, so that scaling
 * touches only the objects that it adds, removes or resizes, and so are model names, which no pod runs by. Values
 * not known yet count as null.
 */
export function revisionOf({ models: _, rewrites: __, ...spec }: InferenceServiceSpec): string {
  const counted = new Set(["replicas", "minReplicas"]);
  const roles = spec.roles.map((role) =>
    Object.fromEntries(Object.entries(role).filter(([field]) => !counted.has(field))),
  );
  return digest(canonicalJson({ ...spec, roles })).slice(0, 10);
}

/** SHA-256 in hexadecimal. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** JSON with sorted keys: one text for values that differ only in the order they were written. */
function canonicalJson(value: unknown): string {
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
