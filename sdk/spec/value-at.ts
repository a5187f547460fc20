import type { Path } from "../errors.ts";

/** What stands at a path of a value; undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (at === null || typeof at !== "object" ? undefined : (at as Fields)[step]),
    value,
  );
}

type Fields = Record<string | number, unknown>;
