import type { PropertyPath } from "../kubernetes/values/property-path.ts";
import { isMap, isUnknown, type PropertyValue, withoutSecrets } from "./property-value.ts";

export interface ChangedPath {
  path: PropertyPath;
  kind: "add" | "delete" | "update";
}

/**
 * Returns the differences of two values in clear text: the shortest added or removed paths, otherwise the changed
 * leaves.
 */
export function changedPaths(from: PropertyValue, to: PropertyValue): ChangedPath[] {
  const changes: ChangedPath[] = [];
  compare(withoutSecrets(from), withoutSecrets(to), [], changes);
  return changes;
}

function compare(
  from: PropertyValue,
  to: PropertyValue,
  path: PropertyPath,
  changes: ChangedPath[],
): void {
  if (Object.is(from, to) && !isUnknown(to)) return;
  if (isMap(from) && isMap(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      compare(from[key], to[key], [...path, key], changes);
    }
  } else if (Array.isArray(from) && Array.isArray(to)) {
    for (let i = 0; i < Math.max(from.length, to.length); i++) {
      compare(from[i], to[i], [...path, i], changes);
    }
  } else if (to === undefined || (to === null && from !== undefined)) {
    changes.push({ path, kind: "delete" });
  } else if (from === undefined) {
    changes.push({ path, kind: "add" });
  } else {
    changes.push({ path, kind: "update" });
  }
}
