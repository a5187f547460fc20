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

/** The deferred value with what it will be mapped; one that cannot be mapped stays as it is. */
export function mapDeferred(value: unknown, map: (known: unknown) => unknown): unknown {
  const { apply } = value as { apply?: unknown };
  return typeof apply === "function" ? (value as Output).apply(map) : value;
}

interface Output {
  apply(map: (known: unknown) => unknown): unknown;
}
