import { isIPv4, isIPv6 } from "node:net";
import { isMap } from "../../kubernetes/values/records.ts";
import { orList } from "../errors.ts";
import type { Schema } from "./object-schemas.ts";

/** Limit that a value breaks. */
export interface Limit {
  /** Accepted values, as a noun. */
  readonly allowed: string;
  /** Whether the value has another type, so that no other limit applies. */
  readonly isType: boolean;
}

/** Returns the limit of a schema that a value itself breaks, without the fields or items in it. */
export function limitOf(value: unknown, schema: Schema): Limit | undefined {
  const type = typeProblem(value, schema);
  if (type !== undefined) return { allowed: type, isType: true };
  const allowed =
    wordProblem(value, schema) ??
    (typeof value === "number"
      ? numberProblem(value, schema)
      : typeof value === "string"
        ? textProblem(value, schema)
        : sizeProblem(value, schema));
  return allowed === undefined ? undefined : { allowed, isType: false };
}

const isInteger = (value: unknown) => Number.isInteger(value);

const types: Readonly<Record<string, readonly [name: string, (value: unknown) => boolean]>> = {
  string: ["a string", (value) => typeof value === "string"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  integer: ["an integer", isInteger],
  number: ["a number", (value) => typeof value === "number"],
  array: ["a list", Array.isArray],
  object: ["an object", isMap],
};

function typeProblem(value: unknown, schema: Schema): string | undefined {
  if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string")
    return isInteger(value) || typeof value === "string" ? undefined : "an integer or a string";
  const [name, isType] = types[schema.type ?? ""] ?? [];
  return isType === undefined || isType(value) ? undefined : name;
}

const wordProblem = (value: unknown, { enum: words }: Schema): string | undefined =>
  words === undefined || words.includes(value)
    ? undefined
    : orList(words.map((word) => (word === "" ? '""' : String(word))));

function numberProblem(value: number, { minimum, maximum, format }: Schema): string | undefined {
  if (value < (minimum ?? value) || value > (maximum ?? value)) return range(minimum, maximum);
  // The operator converts to 32 bits.
  return format === "int32" && (value | 0) !== value ? "an integer of 32 bits" : undefined;
}

function textProblem(value: string, schema: Schema): string | undefined {
  const { minLength, maxLength, pattern, format } = schema;
  if (format === "ipv4" && !isIPv4(value)) return "an IPv4 address";
  if (format === "ipv6" && !isIPv6(value)) return "an IPv6 address";
  const { length } = [...value];
  if (length < (minLength ?? 0) || length > (maxLength ?? length))
    return `a string of ${range(minLength, maxLength)} characters`;
  if (pattern === undefined || expression(pattern)?.test(value) !== false) return undefined;
  return `a string that matches ${pattern}`;
}

const expressions = new Map<string, RegExp | undefined>();

/** Returns a pattern of Go as a regular expression, or undefined if JavaScript cannot read it. */
function expression(pattern: string): RegExp | undefined {
  if (!expressions.has(pattern)) expressions.set(pattern, compiled(pattern));
  return expressions.get(pattern);
}

function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

function sizeProblem(value: unknown, schema: Schema): string | undefined {
  const [least, most, unit] = Array.isArray(value)
    ? [schema.minItems, schema.maxItems, "items"]
    : [schema.minProperties, schema.maxProperties, "fields"];
  const size = isMap(value) || Array.isArray(value) ? Object.keys(value).length : undefined;
  const fits = size === undefined || (size >= (least ?? 0) && size <= (most ?? size));
  return fits ? undefined : `${range(least, most)} ${unit}`;
}

/** Returns bounds in words: `1 to 3`, `at least 1`, `at most 3`. */
const range = (least: number | undefined, most: number | undefined): string =>
  least === undefined
    ? `at most ${most}`
    : most === undefined
      ? `at least ${least}`
      : `${least} to ${most}`;
