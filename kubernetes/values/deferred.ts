import { isMap } from "./records.ts";

/**
 * Returns whether a value is only known later: a Pulumi Output, a Promise, or the placeholder that hooks receive for an
 * unknown input. It is identified by shape, because the sdk does not import Pulumi. A deferred value is allowed in a
 * leaf that a plan passes through. Every value that affects the topology must be plain.
 */
export function isDeferred(value: unknown): boolean {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const candidate = value as {
    __pulumiOutput?: unknown;
    __pulumiUnknown?: unknown;
    then?: unknown;
  };
  return (
    candidate.__pulumiOutput === true ||
    candidate.__pulumiUnknown === true ||
    typeof candidate.then === "function"
  );
}

/** Whether a value is an object with known fields: neither null, nor a list, nor deferred. */
export const isKnownMap = (value: unknown): value is Record<string, unknown> =>
  isMap(value) && !isDeferred(value);

/** Whether a value of plain objects and lists is deferred, or contains a deferred value. */
export const holdsDeferred = (value: unknown): boolean =>
  isDeferred(value) ||
  (Array.isArray(value)
    ? value.some(holdsDeferred)
    : isMap(value) && Object.values(value).some(holdsDeferred));

/**
 * Maps a deferred value to another one, which is also deferred. A value that cannot be mapped is returned unchanged.
 */
export function mapDeferred(value: unknown, map: (known: unknown) => unknown): unknown {
  const { apply, then } = value as Deferred;
  if (typeof apply === "function") return (value as Required<Deferred>).apply(map);
  return typeof then === "function" ? (value as Required<Deferred>).then(map) : value;
}

interface Deferred {
  apply?(map: (known: unknown) => unknown): unknown;
  then?(map: (known: unknown) => unknown): unknown;
}

/** Calls a function with values: immediately if all are known, otherwise the result is deferred. */
export function withKnown(
  values: readonly unknown[],
  make: (known: readonly unknown[]) => unknown,
): unknown {
  const at = values.findIndex(isDeferred);
  if (at < 0) return make(values);
  return mapDeferred(values[at], (known) => withKnown(values.with(at, known), make));
}

/** Calls a function with a value: immediately if all of its parts are known, otherwise the result is deferred. */
export const withKnownParts = <Value>(value: Value, make: (known: Value) => unknown): unknown =>
  withKnown([resolved(value)], ([known]) => make(known as Value));

/** Returns the value, which is deferred if a part of it is. */
function resolved(value: unknown): unknown {
  if (isDeferred(value)) return mapDeferred(value, resolved);
  if (Array.isArray(value)) return withKnown(value.map(resolved), (known) => known);
  if (!isKnownMap(value)) return value;
  const keys = Object.keys(value);
  return withKnown(Object.values(value).map(resolved), (known) =>
    Object.fromEntries(keys.map((key, at) => [key, known[at]])),
  );
}
