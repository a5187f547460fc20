import { formatPath, type Path } from "../errors.ts";

/** Stands in an object for a value that only the update will tell. */
export const unknownValue: unique symbol = Symbol("not yet known");

/** A rule read a value that is not yet known: it can neither pass nor fail. */
export class UnknownValueError extends Error {
  override readonly name = "NotKnownYet";
  /** Path of the value, starting with the object's index in the stack. */
  readonly path: Path;

  constructor(path: Path) {
    super(`${formatPath(path)} is not yet known`);
    this.path = path;
  }
}

/**
 * A copy as the API server would keep it, without nulls. A property that is not yet known throws `NotKnownYet` when
 * it is read, so that rules are written as if everything were known.
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

/** What `read` answers, or the path of what it would have needed. */
export function attempt<T>(read: () => T): { value: T } | { unknown: Path } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof UnknownValueError) return { unknown: error.path };
    throw error;
  }
}
