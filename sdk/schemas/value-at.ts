import type { Path } from "../errors.ts";

/** Returns the value at a path; undefined if the path does not exist. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (at === null || typeof at !== "object" ? undefined : (at as Fields)[step]),
    value,
  );
}

type Fields = Record<string | number, unknown>;
