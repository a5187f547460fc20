import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isPlainObject } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";

/** Calls back with the path of every deferred value. It does not visit the contents of a deferred value. */
export function visitDeferred(value: unknown, path: Path, found: (path: Path) => void): void {
  if (isDeferred(value)) {
    found(path);
  } else if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) visitDeferred(entry, [...path, at], found);
  } else if (isPlainObject(value)) {
    for (const [key, entry] of Object.entries(value)) visitDeferred(entry, [...path, key], found);
  }
}

/** Joins steps without quotes, so that patterns can match keys that contain dots. */
export const joined = (path: Path) =>
  path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${step}`))
    .join("");
