import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isMap, ownField } from "../../kubernetes/values/records.ts";
import { formatPath, type Path } from "../errors.ts";

/** One difference between a pod before and after a plugin. */
export interface PodChange {
  readonly op: "add" | "replace" | "remove";
  readonly path: Path;
  /** Absent for `add`. */
  readonly before?: unknown;
  /** Absent for `remove`. */
  readonly after?: unknown;
}

/**
 * Returns the changes from one value to another, in the order of the fields. Lists are compared entry by entry, and a
 * shorter list loses its last entries from the end. Values that are only known later are equal only if they are the
 * same object.
 */
export function changesBetween(before: unknown, after: unknown, path: Path = []): PodChange[] {
  if (before === after) return [];
  if (!isDeferred(before) && !isDeferred(after)) {
    if (Array.isArray(before) && Array.isArray(after)) return listChanges(before, after, path);
    if (isMap(before) && isMap(after)) return mapChanges(before, after, path);
  }
  return [{ op: "replace", path, before, after }];
}

function listChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
): PodChange[] {
  const kept = Math.min(before.length, after.length);
  const changes = before
    .slice(0, kept)
    .flatMap((entry, at) => changesBetween(entry, after[at], [...path, at]));
  for (let at = before.length - 1; at >= kept; at -= 1) {
    changes.push({ op: "remove", path: [...path, at], before: before[at] });
  }
  for (let at = kept; at < after.length; at += 1) {
    changes.push({ op: "add", path: [...path, at], after: after[at] });
  }
  return changes;
}

function mapChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  path: Path,
): PodChange[] {
  const removed = Object.keys(before).filter((key) => ownField(after, key) === undefined);
  return [
    ...removed
      .filter((key) => before[key] !== undefined)
      .map((key) => ({ op: "remove" as const, path: [...path, key], before: before[key] })),
    ...Object.entries(after).flatMap(([key, value]): PodChange[] => {
      if (value === undefined) return [];
      const earlier = ownField(before, key);
      return earlier === undefined
        ? [{ op: "add", path: [...path, key], after: value }]
        : changesBetween(earlier, value, [...path, key]);
    }),
  ];
}

/** Returns a change as one line: `+ spec.runtimeClassName: "nvidia"`. */
export function formatPodChange({ op, path, before, after }: PodChange): string {
  const place = formatPath(path);
  if (op === "add") return `+ ${place}: ${written(after)}`;
  if (op === "remove") return `- ${place}: ${written(before)}`;
  return `~ ${place}: ${written(before)} => ${written(after)}`;
}

const written = (value: unknown) =>
  JSON.stringify(value, (_key, field: unknown) => (isDeferred(field) ? "(not yet known)" : field));

/** Returns the changes as a JSON Patch (RFC 6902). */
export function jsonPatchOf(changes: readonly PodChange[]) {
  return changes.map(({ op, path, after }) => ({
    op,
    path: path.map((step) => `/${pointerStep(step)}`).join(""),
    ...(op === "remove" ? {} : { value: after }),
  }));
}

/** Returns a step of a JSON Pointer (RFC 6901). */
const pointerStep = (step: string | number) =>
  String(step).replaceAll("~", "~0").replaceAll("/", "~1");
