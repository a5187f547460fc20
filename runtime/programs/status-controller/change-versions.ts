import type { Change } from "../../../kubernetes/cache/object-cache.ts";

/** The object before a change; undefined for a new one. */
export function previousOf<T>(change: Change<T>): T | undefined {
  return change.type === "added" ? undefined : change.previous;
}

/** The object before and after a change: a change of labels concerns both. */
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
