import type { Change } from "../../../kubernetes/cache/object-cache.ts";

/** Returns the object before a change; undefined for a new object. */
export function previousOf<T>(change: Change<T>): T | undefined {
  return change.type === "added" ? undefined : change.previous;
}

/** Returns the object after and before a change, because a changed label may affect two owners. */
export function versionsOf<T>(change: Change<T>): [T, ...T[]] {
  switch (change.type) {
    case "added":
      return [change.object];
    case "deleted":
      return [change.previous];
    case "modified":
      return [change.object, change.previous];
  }
}
