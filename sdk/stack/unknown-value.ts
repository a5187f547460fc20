import { formatPath, type Path } from "../errors.ts";

/** Placeholder in an object for a value that is known only during the update. */
export const unknownValue: unique symbol = Symbol("not yet known");

/** Thrown when a rule reads a value that is not yet known. The rule then neither passes nor fails. */
export class UnknownValueError extends Error {
  override readonly name = "UnknownValueError";
  /** Path of the value, starting with the object's index in the stack. */
  readonly path: Path;

  constructor(path: Path) {
    super(`${formatPath(path)} is not yet known`);
    this.path = path;
  }
}

/**
 * Returns a copy without nulls, as the API server would store it. Reading a property that is not yet known throws
 * `UnknownValueError`, so that rules need no check for unknown values.
 */
export function trackUnknownReads(value: unknown, path: Path): unknown {
  if (Array.isArray(value)) return trackUnknownEntries(value.entries(), [], path);
  if (value === null || typeof value !== "object") return value;
  return trackUnknownEntries(Object.entries(value), {}, path);
}

function trackUnknownEntries(
  entries: Iterable<[string | number, unknown]>,
  copy: object,
  path: Path,
): object {
  for (const [key, item] of entries) {
    const at = [...path, key];
    if (item === unknownValue) {
      const get = () => {
        throw new UnknownValueError(at);
      };
      Object.defineProperty(copy, key, { enumerable: true, configurable: true, get });
    } else if (item !== null && item !== undefined) {
      Object.defineProperty(copy, key, {
        enumerable: true,
        configurable: true,
        writable: true,
        value: trackUnknownReads(item, at),
      });
    }
  }
  return copy;
}

/** Returns the result of `read`, or the path of the unknown value that it needed. */
export function attempt<T>(read: () => T): { value: T } | { unknown: Path } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof UnknownValueError) return { unknown: error.path };
    throw error;
  }
}
