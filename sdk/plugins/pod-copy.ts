import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isMap } from "../../kubernetes/values/records.ts";

/** A deep copy of lists and maps. What is known later, and instances of classes, are the same in both. */
export function copyOf<T>(value: T): T {
  if (isDeferred(value)) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (!isMap(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, copyOf(field)])) as T;
}

/** Freezes lists and maps, however deep: a hook that changes what it may only read fails. Returns the value. */
export function frozen<T>(value: T): T {
  if (isDeferred(value) || (!Array.isArray(value) && (!isMap(value) || !isPlain(value))))
    return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}

/** Objects of another realm are plain as well, which a prototype without a prototype of its own tells. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
