import { isMap } from "./records.ts";

/**
 * A value that is known only later: a Pulumi Output or a Promise.
 * Recognised by shape, since the sdk does not import Pulumi. Such a value may stand in a leaf that a plan
 * passes through; whatever shapes the topology must be plain.
 */
export function isDeferred(value: unknown): boolean {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const candidate = value as { __pulumiOutput?: unknown; then?: unknown };
  return candidate.__pulumiOutput === true || typeof candidate.then === "function";
}

/** Whether a value is an object with fields that are known: neither null, nor a list, nor deferred. */
export const isKnownMap = (value: unknown): value is Record<string, unknown> =>
  isMap(value) && !isDeferred(value);

/** Whether a value of plain objects and lists is deferred, or has a deferred value in it. */
export const holdsDeferred = (value: unknown): boolean =>
  isDeferred(value) ||
  (Array.isArray(value)
    ? value.some(holdsDeferred)
    : isMap(value) && Object.values(value).some(holdsDeferred));

/** What a deferred value will be mapped to, deferred itself; one that cannot be mapped stays as it is. */
export function mapDeferred(value: unknown, map: (known: unknown) => unknown): unknown {
  const { apply, then } = value as Deferred;
  if (typeof apply === "function") return (value as Required<Deferred>).apply(map);
  return typeof then === "function" ? (value as Required<Deferred>).then(map) : value;
}

interface Deferred {
  apply?(map: (known: unknown) => unknown): unknown;
  then?(map: (known: unknown) => unknown): unknown;
}

/** What a function makes of values, at once where all are known, else deferred. */
export function withKnown(
  values: readonly unknown[],
  make: (known: readonly unknown[]) => unknown,
): unknown {
  const at = values.findIndex(isDeferred);
  if (at < 0) return make(values);
  return mapDeferred(values[at], (known) => withKnown(values.with(at, known), make));
}
