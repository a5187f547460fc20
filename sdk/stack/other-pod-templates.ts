import type { Fields } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import { unknownValue } from "./unknown-value.ts";

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/**
 * Yields the paths of the pod templates in an object of any kind, such as RayCluster, RayService, PodTemplate or a
 * Job of Volcano: properties whose name ends in `template` and whose spec has a list of containers.
 */
export function* podTemplatePaths(value: unknown, path: Path = []): Iterable<Path> {
  if (!isObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (path.length === 0 && (key === "metadata" || key === "status")) continue;
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (/template$/i.test(key) && hasContainers(item)) yield at;
    else yield* podTemplatePaths(item, at);
  }
}

function hasContainers(template: unknown): boolean {
  const spec = isObject(template) ? template.spec : undefined;
  const containers = isObject(spec) ? spec.containers : undefined;
  return Array.isArray(containers) || containers === unknownValue;
}
