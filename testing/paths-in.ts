/** Returns the paths of all values in a value, each path after the path of its parent. The value itself has none. */
export function pathsIn(
  value: unknown,
  path: ReadonlyArray<string | number> = [],
): ReadonlyArray<string | number>[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((entry, at) => pathsIn(entry, [...path, at]))
    : Object.entries(value).flatMap(([key, entry]) => pathsIn(entry, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}
