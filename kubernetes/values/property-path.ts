/** A path into the properties of a resource: keys, indexes, and `*` for any key or index. */
export type PropertyPath = ReadonlyArray<string | number>;

/**
 * Parses Pulumi's notation: `spec.containers[0].image`, `metadata.annotations["a.b/c"]`, `spec.ports[*]`, `a.*.b`.
 *
 * @throws Error for any other text
 */
export function parsePropertyPath(text: string): PropertyPath {
  const step = /\.?([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\[(\*)\]/gy;
  const path: Array<string | number> = [];
  while (step.lastIndex < text.length) {
    const at = step.lastIndex;
    const found = step.exec(text);
    if (found === null) {
      throw new Error(
        `property path ${JSON.stringify(text)} is not valid at character ${at}; allowed: a path such as spec.replicas, args[0] or metadata.annotations["a.b/c"]`,
      );
    }
    const [, key, index, quoted, wildcard] = found;
    if (index !== undefined) path.push(Number(index));
    else path.push(quoted === undefined ? (key ?? wildcard ?? "") : (JSON.parse(quoted) as string));
  }
  return path;
}
