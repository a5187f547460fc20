import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isMap } from "../../kubernetes/values/records.ts";

/** Copies lists and maps deeply. Values that are only known later, and instances of classes, are shared by both. */
export function copyOf<T>(value: T): T {
  if (isDeferred(value)) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (!isMap(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, copyOf(field)])) as T;
}

/** Freezes lists and maps at any depth, so that a hook which changes read-only data fails. Returns the value. */
export function frozen<T>(value: T): T {
  if (isDeferred(value) || (!Array.isArray(value) && (!isMap(value) || !isPlain(value))))
    return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}

/** An object of another realm is plain too: its prototype has no prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
