import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { isMap } from "../../../kubernetes/values/records.ts";

/** RFC 6902, with limits, because the patch is from an untrusted endpoint. */
const pointer = z.string().max(1024);
const value = z.unknown();

const Operation = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("add"), path: pointer, value }),
  z.strictObject({ op: z.literal("replace"), path: pointer, value }),
  z.strictObject({ op: z.literal("remove"), path: pointer }),
  z.strictObject({ op: z.literal("move"), path: pointer, from: pointer }),
  z.strictObject({ op: z.literal("copy"), path: pointer, from: pointer }),
  z.strictObject({ op: z.literal("test"), path: pointer, value }),
]);

export const JsonPatch = z.array(Operation).max(256);

/**
 * Maximum number of bytes of JSON that a patch may add to a pod. `copy` multiplies data: 24 operations that each copy
 * the result of the previous ones are a response of 1.5 KB and create millions of values. An API server accepts
 * requests of 3 MiB.
 */
export const longestAddition = 512 * 1024;
export type JsonPatch = z.infer<typeof JsonPatch>;

/**
 * Returns the document after all operations.
 *
 * @throws Error for the first operation that does not apply
 */
export function applyJsonPatch<T>(document: T, patch: JsonPatch): T {
  let result: unknown = structuredClone(document);
  let left = longestAddition;
  for (const [at, operation] of patch.entries()) {
    try {
      left -= sizeOf(additionOf(result, operation), left);
      result = applied(result, operation);
    } catch (error) {
      const { op, path } = operation;
      throw new Error(`operation ${at}, ${op} ${path}: ${(error as Error).message}`);
    }
  }
  return result as T;
}

/** Returns the value that an operation adds to the document; undefined if it adds none. */
function additionOf(document: unknown, operation: JsonPatch[number]): unknown {
  switch (operation.op) {
    case "add":
    case "replace":
      return operation.value;
    case "copy":
      return found(document, stepsOf(operation.from));
    default:
      return undefined;
  }
}

/**
 * Returns the approximate length of a value as JSON. Stops at `allowed`, and does not recurse.
 *
 * @throws Error if the value is longer
 */
function sizeOf(value: unknown, allowed: number): number {
  let size = 0;
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (next === undefined) continue;
    size += typeof next === "string" ? next.length + 2 : 4;
    if (Array.isArray(next)) for (const item of next) rest.push(item);
    else if (isMap(next))
      for (const [key, item] of Object.entries(next)) {
        size += key.length + 4;
        rest.push(item);
      }
    if (size > allowed)
      throw new Error(`the patch adds more than ${longestAddition} bytes to the pod`);
  }
  return size;
}

function applied(document: unknown, operation: JsonPatch[number]): unknown {
  const path = stepsOf(operation.path);
  switch (operation.op) {
    case "add":
      return added(document, path, structuredClone(operation.value));
    case "replace":
      return added(removed(document, path), path, structuredClone(operation.value));
    case "remove":
      return removed(document, path);
    case "copy":
      return added(document, path, structuredClone(found(document, stepsOf(operation.from))));
    case "move": {
      const from = stepsOf(operation.from);
      const moved = found(document, from);
      if (path.length > from.length && from.every((step, at) => step === path[at])) {
        throw new Error("a value cannot be moved into itself");
      }
      return added(removed(document, from), path, moved);
    }
    case "test":
      if (!isDeepStrictEqual(found(document, path), operation.value)) {
        throw new Error("another value exists");
      }
      return document;
  }
}

/** Parses a JSON Pointer (RFC 6901). */
function stepsOf(text: string): string[] {
  if (text === "") return [];
  if (!text.startsWith("/")) throw new Error("a path starts with /");
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function found(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return at[indexOf(step, at.length - 1)];
    if (isMap(at) && Object.hasOwn(at, step)) return at[step];
    throw new Error(`no value at ${JSON.stringify(step)}`);
  }, document);
}

/** Returns the list or map that contains the last step of a path. */
function holderOf(document: unknown, path: readonly string[]) {
  const last = path.at(-1);
  if (last === undefined) throw new Error("the whole document cannot be changed");
  // An assignment to this key would replace the object's prototype.
  if (last === "__proto__") throw new Error("no field has this name");
  return { holder: found(document, path.slice(0, -1)), last };
}

function added(document: unknown, path: readonly string[], value: unknown): unknown {
  const { holder, last } = holderOf(document, path);
  if (Array.isArray(holder)) {
    holder.splice(last === "-" ? holder.length : indexOf(last, holder.length), 0, value);
  } else if (isMap(holder)) {
    holder[last] = value;
  } else throw new Error("its parent is neither a list nor an object");
  return document;
}

function removed(document: unknown, path: readonly string[]): unknown {
  const { holder, last } = holderOf(document, path);
  if (Array.isArray(holder)) holder.splice(indexOf(last, holder.length - 1), 1);
  else if (isMap(holder) && Object.hasOwn(holder, last)) delete holder[last];
  else throw new Error("no value exists");
  return document;
}

function indexOf(step: string, largest: number): number {
  const index = Number(step);
  if (!/^(0|[1-9]\d*)$/.test(step) || index > largest) {
    throw new Error(`${JSON.stringify(step)} is not an index of the list`);
  }
  return index;
}
