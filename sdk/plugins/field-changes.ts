import { type Fields, isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import { changesBetween } from "./pod-changes.ts";

/** A change that is not on the list. */
export interface ForbiddenChange {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
  readonly allowed: string;
}

export type Check = (before: unknown, after: unknown, path: Path) => ForbiddenChange[];

export const listed = (names: readonly string[]): string => names.join(", ");

const nothing: Check = () => [];
export const free = (fields: readonly string[]): Record<string, Check> =>
  Object.fromEntries(fields.map((field) => [field, nothing]));

/** A field that another rule checks. */
export const judgedElsewhere: Check = () => [];

/** Values that are only known later are equal if they are the same object. */
export const isSame = (before: unknown, after: unknown): boolean =>
  changesBetween(before, after).length === 0;

/** A field that a plugin sets if the template does not. */
export const setOnce: Check = (before, after, path) =>
  before === undefined || isSame(before, after)
    ? []
    : [{ path, before, after, allowed: "the template's value" }];

/** Compares two maps field by field. A changed field without a check is forbidden. */
export function fieldChanges(
  before: unknown,
  after: unknown,
  path: Path,
  checks: Readonly<Record<string, Check>>,
): ForbiddenChange[] {
  const [had, has]: [Fields, Fields] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return [...new Set([...Object.keys(had), ...Object.keys(has)])].flatMap((field) => {
    if (isSame(had[field], has[field])) return [];
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    const at = [...path, field];
    if (check !== undefined) return check(had[field], has[field], at);
    const names = Object.keys(checks).filter((name) => checks[name] !== judgedElsewhere);
    return [{ path: at, before: had[field], after: has[field], allowed: listed(names) }];
  });
}

export const entriesOf = (list: unknown): Fields[] =>
  Array.isArray(list) ? list.filter(isMap) : [];
export const namedEntries = (list: unknown): Map<unknown, Fields> =>
  new Map(entriesOf(list).map((entry) => [entry.name, entry]));

/** Reports a value that is not a list, because it cannot be compared by names. */
export const unread = (
  before: unknown,
  after: unknown,
  path: Path,
  allowed: string,
): ForbiddenChange[] =>
  [before, after].every((list) => list === undefined || Array.isArray(list))
    ? []
    : [{ path, before, after, allowed }];

export const removed = (
  before: unknown,
  after: unknown,
  path: Path,
  allowed: string,
): ForbiddenChange[] => {
  const later = namedEntries(after);
  return entriesOf(before).flatMap((entry, at) =>
    later.has(entry.name)
      ? []
      : [{ path: [...path, at], before: entry, after: undefined, allowed }],
  );
};
