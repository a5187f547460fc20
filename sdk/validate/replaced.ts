import type { Path } from "../errors.ts";

/**
 * Returns a copy with another value at a path, in the same order; undefined removes the field. If the path does not
 * exist, nothing changes.
 */
export function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((entry, at) => (at === step ? replaced(entry, rest, by) : entry));
  }
  if (value === null || typeof value !== "object") return value;
  const { [step]: inner, ...others } = value as Record<string | number, unknown>;
  const next = replaced(inner, rest, by);
  return next === undefined ? others : { ...value, [step]: next };
}
