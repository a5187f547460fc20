import { isMap } from "../../kubernetes/values/records.ts";
import { nearest } from "../../scheduling/config/spelling.ts";
import { orList, type Path } from "../errors.ts";
import { objectSchemas, type Schema } from "./object-schemas.ts";
import { limitOf } from "./value-limits.ts";

/** A value that the schema of its kind does not accept. */
export interface SchemaProblem {
  readonly path: Path;
  readonly value: unknown;
  /** Accepted values, as a noun. */
  readonly allowed: string;
  /** Fields of the object, if it has no such field. Undefined: the value breaks a limit. */
  readonly fields?: readonly string[];
  /** Similar accepted word. */
  readonly similar?: string;
}

/** Whether a value is not yet known, so that it is not checked. */
type Skips = (value: unknown) => boolean;

/**
 * Returns what a schema refuses in an object: types, limits, missing fields, repeated keys of lists, and unknown
 * fields. The CEL rules of CRDs are not checked.
 *
 * @param skips whether a value is not yet known
 */
export function* schemaProblems(
  object: Readonly<Record<string, unknown>>,
  { schema }: { readonly schema: Schema },
  skips: Skips,
): Generator<SchemaProblem> {
  const { apiVersion: _, kind: __, metadata, status: ___, ...fields } = object;
  yield* problemsOf(fields, schema, [], skips);
  yield* problemsOf(metadata, { $ref: objectSchemas().metadata }, ["metadata"], skips);
}

/** Returns what a schema refuses in a value. */
export const valueProblems = (
  value: unknown,
  schema: Schema,
  skips: Skips,
): Generator<SchemaProblem> => problemsOf(value, schema, [], skips);

function* problemsOf(
  given: unknown,
  reference: Schema,
  path: Path,
  skips: Skips,
): Generator<SchemaProblem> {
  if (given === undefined || given === null || skips(given)) return;
  const schema = resolved(reference);
  const value = isMap(given) ? stored(given, schema) : given;
  const limit = limitOf(value, schema);
  if (limit !== undefined) {
    const words = (schema.enum ?? []).filter((word) => typeof word === "string");
    const similar = typeof value === "string" ? nearest(value, words) : undefined;
    yield { ...refused(path, value, limit.allowed), ...(similar && { similar }) };
    if (limit.isType) return;
  }
  yield* combined(value, schema, path, skips);
  if (isMap(value)) yield* fieldProblems(value, schema, path, skips);
  if (Array.isArray(value)) yield* itemProblems(value, schema, path, skips);
}

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (objectSchemas().definitions[schema.$ref] ?? {});

const refused = (path: Path, value: unknown, allowed: string): SchemaProblem => ({
  path,
  value,
  allowed,
});

/** Returns an object as the API server completes it: without nulls, and with defaults. */
function stored(value: Readonly<Record<string, unknown>>, { properties = {} }: Schema) {
  const fieldOf = (name: string) =>
    Object.hasOwn(properties, name) ? properties[name] : undefined;
  const defaults = Object.entries(properties)
    .filter(
      ([name, field]) => field.default !== undefined && (value[name] ?? undefined) === undefined,
    )
    .map(([name, field]) => [name, field.default]);
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== undefined && (item !== null || fieldOf(name)?.nullable === true),
  );
  return Object.fromEntries([...kept, ...defaults]) as Record<string, unknown>;
}

function* fieldProblems(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  path: Path,
  skips: Skips,
): Generator<SchemaProblem> {
  const { properties = {}, additionalProperties, required = [] } = schema;
  for (const name of required)
    if (!Object.hasOwn(value, name)) yield refused([...path, name], undefined, "a value");
  for (const [name, item] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const every = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const inner = own ?? every;
    if (inner !== undefined) yield* problemsOf(item, inner, [...path, name], skips);
    else if (!isOpen(schema, name)) {
      const names = Object.keys(properties);
      const similar = nearest(name, names);
      const problem = refused([...path, name], item, orList(names) || "no field");
      yield { ...problem, fields: names, ...(similar && { similar }) };
    }
  }
}

function* itemProblems(
  items: readonly unknown[],
  schema: Schema,
  path: Path,
  skips: Skips,
): Generator<SchemaProblem> {
  yield* repeated(items, schema, path);
  const { items: inner = {} } = schema;
  for (const [at, item] of items.entries())
    if (item === null && inner.type !== undefined && !inner.nullable)
      yield refused([...path, at], item, "a value");
    else yield* problemsOf(item, inner, [...path, at], skips);
}

const embedded = ["apiVersion", "kind", "metadata"];

/** Returns whether the API server keeps a field that the properties do not list. Parts of a schema list no fields. */
const isOpen = (schema: Schema, name: string): boolean =>
  schema.type !== "object" ||
  schema["x-kubernetes-preserve-unknown-fields"] === true ||
  schema.additionalProperties === true ||
  (schema["x-kubernetes-embedded-resource"] === true && embedded.includes(name));

/** Problems of `allOf`, `anyOf`, `oneOf` and `not`. */
function* combined(
  value: unknown,
  schema: Schema,
  path: Path,
  skips: Skips,
): Generator<SchemaProblem> {
  for (const part of schema.allOf ?? []) yield* problemsOf(value, part, path, skips);
  // An unknown value may decide which part matches.
  if (!hasSkipped(value, skips)) {
    const first = (part: Schema) => problemsOf(value, part, path, skips).next().value;
    const refusals = (parts: readonly Schema[]) => parts.map(first);
    const problem = (allowed: string) => refused(path, value, allowed);
    const any = refusals(schema["x-kubernetes-int-or-string"] ? [] : (schema.anyOf ?? []));
    if (any.length > 0 && any.every(Boolean)) yield problem(alternatives(any, path));
    const one = refusals(schema.oneOf ?? []);
    const matches = one.filter((refusal) => !refusal).length;
    if (one.length > 0 && matches === 0) yield problem(alternatives(one, path));
    if (matches > 1)
      yield problem(`exactly one of ${one.length} forms; the value matches ${matches} of them`);
    if (schema.not !== undefined && !first(schema.not))
      yield problem("another combination of fields");
  }
}

const alternatives = (refusals: ReadonlyArray<SchemaProblem | undefined>, { length }: Path) =>
  [
    ...new Set(
      refusals.flatMap((refusal) => {
        if (!refusal) return [];
        const field = refusal.path.slice(length).join(".");
        return field === "" ? refusal.allowed : `${field} with ${refusal.allowed}`;
      }),
    ),
  ].join(", or ");

const hasSkipped = (value: unknown, skips: Skips): boolean =>
  skips(value) ||
  (typeof value === "object" &&
    value !== null &&
    Object.values(value).some((each) => hasSkipped(each, skips)));

/** Items of a list that the API server identifies by keys, or by their value, and that occur twice. */
function* repeated(
  items: readonly unknown[],
  schema: Schema,
  path: Path,
): Generator<SchemaProblem> {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "map" && type !== "set") return;
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []) as readonly string[];
  const seen = new Set<string>();
  for (const [at, item] of items.entries()) {
    const values =
      type === "set" ? [item] : keys.map((key) => (isMap(item) ? item[key] : undefined));
    if (values.some((value) => !["string", "number", "boolean"].includes(typeof value))) continue;
    const identity = JSON.stringify(values);
    const field = type === "map" && keys.length === 1 ? keys : [];
    const allowed = `each ${type === "set" ? "value" : keys.join(" and ")} at most once in the list`;
    if (seen.has(identity)) yield refused([...path, at, ...field], values[0], allowed);
    seen.add(identity);
  }
}
