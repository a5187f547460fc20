import * as pulumi from "@pulumi/pulumi";

/** Steps of a property path as resource options have it: `spec.containers[0].env`, `data["config.yaml"]`, `a.*.b`. */
export function parsePropertyPath(path: string): Array<string | number> {
  const step = /\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[(\*)\]/gy;
  const steps: Array<string | number> = [];
  while (step.lastIndex < path.length) {
    const at = step.lastIndex;
    const found = step.exec(path);
    if (found === null) {
      throw new pulumi.RunError(
        `property path "${path}" cannot be read at character ${at}; write it like spec.replicas, args[0] or metadata.annotations["a.b/c"]`,
      );
    }
    const [, key, index, quoted, wildcard] = found;
    steps.push(
      index !== undefined
        ? Number(index)
        : (key ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? wildcard ?? ""),
    );
  }
  return steps;
}

/** Whether an object has the place that a path points into: everything but its last step. */
export function hasPlaceFor(path: string, object: unknown): boolean {
  return reaches(parsePropertyPath(path).slice(0, -1), object);
}

function reaches([step, ...rest]: Array<string | number>, value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  if (step === undefined) return true;
  if (step === "*") return Object.values(value).some((entry) => reaches(rest, entry));
  return Object.hasOwn(value, step) && reaches(rest, (value as Record<string, unknown>)[step]);
}
