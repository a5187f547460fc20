import { z } from "zod";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { nearest } from "../../scheduling/config/spelling.ts";
import { formatPath, isUnknownField, orList, type Path, type Problem } from "../errors.ts";
import { bare } from "./argument.ts";
import type { UnknownFieldParams } from "./kubernetes-object.ts";
import { stepInto } from "./schema-path.ts";
import { valueAt } from "./value-at.ts";

/**
 * Returns the problems that a schema finds in a value. Values that are not known yet are skipped: another rule checks
 * whether a field may be unknown.
 */
export function shapeProblems(schema: z.ZodType, value: unknown): Problem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const problems = strictestBounds(result.error.issues)
    .filter((issue) => !meetsDeferred(value, pathOf(issue)))
    .flatMap((issue) => resourceProblem(value, pathOf(issue)) ?? problemsOf(issue, schema, value));
  const distinct = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return withMisspellingsOnce([...distinct.values()]);
}

/** Keeps only the strictest bound of a value that is below several lower bounds, or above several upper bounds. */
function strictestBounds(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const kept = new Map<string, z.core.$ZodIssue>();
  for (const [at, issue] of issues.entries()) {
    const bound = boundOf(issue);
    const key = bound === undefined ? String(at) : `${issue.code} ${formatPath(pathOf(issue))}`;
    const other = kept.get(key);
    const isStricter = other === undefined || (bound ?? 0) > (boundOf(other) ?? 0);
    if (isStricter) kept.set(key, issue);
  }
  return [...kept.values()];
}

/** Returns a bound of a value, or undefined for other issues. A higher number is stricter. */
function boundOf(issue: z.core.$ZodIssue): number | undefined {
  if (issue.code === "too_small") return Number(issue.minimum);
  return issue.code === "too_big" ? -Number(issue.maximum) : undefined;
}

/** Reports a missing field with a misspelled name only once, at the unknown field. */
export function withMisspellingsOnce(problems: readonly Problem[]): Problem[] {
  const dropped = new Set<Problem>();
  const merged = problems.map((problem) => {
    if (!isUnknownField(problem)) return problem;
    const siblings = problems.filter((other) => isMissing(other) && areSiblings(other, problem));
    const near = nearest(nameOfField(problem), siblings.map(nameOfField));
    if (near === undefined) return problem;
    for (const each of siblings) if (nameOfField(each) === near) dropped.add(each);
    return { ...problem, fix: `Did you mean ${near}?` };
  });
  return merged.filter((problem) => !dropped.has(problem));
}

const isMissing = ({ given, path }: Problem) => given === "is missing" && path.length > 0;

const nameOfField = ({ path }: Problem) => String(path.at(-1));

const areSiblings = (a: Problem, b: Problem) =>
  formatPath(a.path.slice(0, -1)) === formatPath(b.path.slice(0, -1));

/** Reports one problem if a resource is passed instead of one of its outputs, regardless of its fields. */
function resourceProblem(value: unknown, path: Path): Problem[] | undefined {
  for (const depth of [...path.keys(), path.length]) {
    const at = path.slice(0, depth);
    const resource = valueAt(value, at) as PulumiResource | undefined | null;
    if (resource?.__pulumiResource !== true) continue;
    const type = String(resource.__pulumiType).split(":").at(-1);
    const fix =
      resource.poolName === undefined
        ? "Pass the required property of the resource, such as its name."
        : "Pass the name of the resource: { name: pool.poolName }.";
    return [
      {
        code: "shape",
        path: at,
        given: `is a resource, of type ${type}`,
        allowed: "a plain object",
        fix,
      },
    ];
  }
  return undefined;
}

/** Identified by shape, because the sdk does not import Pulumi. */
interface PulumiResource {
  readonly __pulumiResource?: unknown;
  readonly __pulumiType?: unknown;
  readonly poolName?: unknown;
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): Problem[] {
  const path = pathOf(issue);
  const given = describeAt(value, path);
  const field = fieldName(path);
  const problem = (allowed: string, fix: string): Problem[] => [
    { code: "shape", path, given, allowed, fix },
  ];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownField([...path, key], fieldsAt(schema, value, path)));
    case "invalid_type": {
      const found = issue.expected === "nonoptional" && schemaAt(schema, value, path);
      const allowed = typeInWords(found ? found.def.type : issue.expected);
      return problem(
        allowed,
        given === "is missing" ? `Add ${field}.` : `Set ${field} to ${allowed}.`,
      );
    }
    case "invalid_value":
      return problem(
        oneOf(issue.values),
        given === "is missing"
          ? `Add ${field}.`
          : choice(field, issue.values, valueAt(value, path)),
      );
    case "invalid_union":
      return unionProblem(issue, value, path);
    case "too_small":
      return problem(
        lowerBound(issue),
        given === "is missing" ? `Add ${field}.` : toReach(field, issue),
      );
    case "too_big": {
      const [allowed, fix] = upperBound(field, issue);
      const list = valueAt(value, path);
      const amount = Array.isArray(list) ? `has ${list.length} entries` : given;
      return [{ code: "shape", path, given: amount, allowed, fix }];
    }
    case "custom": {
      const { fields } = (issue.params ?? {}) as Partial<UnknownFieldParams>;
      if (fields !== undefined) return [unknownField(path, fields)];
      return problem(issue.message, given === "is missing" ? `Add ${field}.` : `Correct ${field}.`);
    }
    default:
      return problem(issue.message, `Correct ${field}.`);
  }
}

/**
 * Returns the words that a longer name contains: `l40s` for `nvidia-l40s`, and each `a100-...` for `NVIDIA A100`. Only
 * parts with a digit count, because others, such as `sxm`, name many things.
 */
function containedIn(given: string, known: readonly string[]): string[] {
  const parts = given.toLowerCase().split(/[^a-z0-9.]+/);
  const text = `-${parts.join("-")}-`;
  const whole = known.filter((word) => /\d/.test(word) && text.includes(`-${word}-`));
  if (whole.length > 0) return whole;
  return known.filter((word) => {
    const [first = "", ...rest] = word.split("-");
    return rest.length > 0 && /\d/.test(first) && parts.includes(first);
  });
}

/** Returns the word nearest to the given one, unless two words are equally near. */
function choice(field: string, words: readonly unknown[], given: unknown): string {
  const known = words.map(String);
  const isText = typeof given === "string" && given.length > 1;
  const longer = isText ? known.filter((word) => word.startsWith(given)).slice(0, 4) : [];
  if (longer.length > 1) return `Did you mean ${orList(longer)}?`;
  const within = isText && longer.length === 0 ? containedIn(given, known).slice(0, 4) : [];
  if (within.length > 0) return `Did you mean ${orList(within)}?`;
  const near = isText && given.length > 2 ? (longer[0] ?? nearest(given, known)) : undefined;
  if (near !== undefined) return `Did you mean ${near}?`;
  return words.length === 1 ? `Set ${field} to ${words[0]}.` : `Set ${field} to one of these.`;
}

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Returns the longest field with which a name starts in any spelling: `maxModelLen` for `max_model_length`. */
const longestStart = (name: string, fields: readonly string[]): string | undefined =>
  fields
    .filter((field) => field.length > 5 && lettersOf(name).startsWith(lettersOf(field)))
    .sort((a, b) => b.length - a.length)[0];

function unknownField(path: Path, fields: readonly string[]): Problem {
  const name = String(path.at(-1));
  const near = nearest(name, fields) ?? longestStart(name, fields);
  return {
    code: "shape",
    path,
    given: `unknown field ${JSON.stringify(name)}`,
    allowed: fields.length > 0 ? fields.join(", ") : "no fields",
    fix: near === undefined ? `Remove ${name}.` : `Did you mean ${near}?`,
  };
}

/** For the union of roles, names the field that distinguishes them and its values. */
function unionProblem(issue: z.core.$ZodIssueInvalidUnion, value: unknown, path: Path): Problem[] {
  const field = issue.discriminator;
  if (field === undefined || path.at(-1) !== field) {
    const given = describeAt(value, path);
    const types = issue.errors.flatMap(([first]) =>
      first?.code === "invalid_type" ? [typeInWords(first.expected)] : [],
    );
    const allowed = orList(
      types.length < issue.errors.length ? ["an object"] : [...new Set(types)],
    );
    const fix = `Set ${fieldName(path)} to ${allowed}.`;
    return [{ code: "shape", path, given, allowed, fix }];
  }
  const given = describe(valueAt(value, path));
  const options = (issue as { options?: readonly z.util.Primitive[] }).options ?? [];
  const fix = given === "is missing" ? `Add ${field}.` : `Set ${field} to one of these.`;
  return [{ code: "shape", path, given, allowed: oneOf(options), fix }];
}

function lowerBound(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === "array")
    return `at least ${issue.minimum} ${issue.minimum === 1 ? "entry" : "entries"}`;
  if (issue.origin === "string") return "a non-empty string";
  const isWhole = Number.isInteger(issue.minimum);
  return `${isWhole ? "a whole number" : "a number"} of at least ${issue.minimum}`;
}

function toReach(field: string, { origin, minimum }: z.core.$ZodIssueTooSmall): string {
  if (origin === "array") return minimum === 1 ? "Add an entry." : "Add entries.";
  if (origin === "string") return `Set ${field} to a non-empty string, or remove it.`;
  return `Set ${field} to ${minimum} or more.`;
}

function upperBound(
  field: string,
  { origin, maximum }: z.core.$ZodIssueTooBig,
): [allowed: string, fix: string] {
  if (origin === "array") return [`at most ${maximum} entries`, "Remove entries."];
  if (origin === "string") return [`at most ${maximum} characters`, `Shorten ${field}.`];
  return [`at most ${maximum}`, `Set ${field} to ${maximum} or less.`];
}

/** Name of the field at a path, with its index in a list: `targetPorts[1]`; `it` for the value itself. */
function fieldName(path: Path): string {
  const from = path.findLastIndex((step) => typeof step === "string");
  return path.length === 0 ? "it" : formatPath(path.slice(Math.max(from, 0)));
}

const typesInWords: Record<string, string> = {
  int: "a whole number",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "a map",
  unknown: "a value",
};
const typeInWords = (type: string) => typesInWords[type] ?? type;

const oneOf = (values: readonly unknown[]) =>
  values.length <= mostListed
    ? values.map((value) => String(value)).join(", ")
    : `one of ${values.length} names, such as ${values.slice(0, 3).join(", ")}`;

/** Maximum length of a closed list in a problem; for a longer list, only values with the same beginning are named. */
const mostListed = 20;

const pathOf = (issue: z.core.$ZodIssue): Path => issue.path as Array<string | number>;

/** Returns the type or text of a value as the verb phrase of a problem. */
export function describe(value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (isDeferred(value)) return "is an Output";
  if (Array.isArray(value)) return value.length === 0 ? "is an empty list" : "is a list";
  if (typeof value === "object") return "is an object";
  if (typeof value === "function") return "is a function";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return `is ${text.length > 80 ? `${text.slice(0, 77)}...` : text}`;
}

/** Describes the value at a path without the text of a field that contains a token. */
function describeAt(value: unknown, path: Path): string {
  const found = valueAt(value, path);
  const isToken = typeof found === "string" && /(token|password)$/i.test(String(path.at(-1)));
  return isToken ? "is a string" : describe(found);
}

/** Whether the value at a path, or on the way to it, is deferred. */
function meetsDeferred(value: unknown, path: Path): boolean {
  return (
    path.some((_, depth) => isDeferred(valueAt(value, path.slice(0, depth)))) ||
    isDeferred(valueAt(value, path))
  );
}

/** Returns the fields that a schema defines at a path of a value. */
function fieldsAt(schema: z.ZodType, value: unknown, path: Path): string[] {
  const found = schemaAt(schema, value, path);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

/** Returns the schema at a path of a value, without its wrappers; undefined if the schema has none there. */
function schemaAt(schema: z.ZodType, value: unknown, path: Path): z.ZodType | undefined {
  let at: z.ZodType | undefined = schema;
  let here = value;
  for (const step of path) {
    const known = variantOf(at, here);
    const next = known && stepInto(known, step);
    at = typeof next === "object" ? next : undefined;
    here = valueAt(here, [step]);
  }
  return variantOf(at, here);
}

/** Returns a schema without its wrappers; for a union, the member that the value's discriminator selects. */
function variantOf(schema: z.ZodType | undefined, value: unknown): z.ZodType | undefined {
  const known = schema && bare(schema);
  if (!(known instanceof z.ZodDiscriminatedUnion)) return known;
  const field = known.def.discriminator;
  const name = valueAt(value, [field]);
  return (known.options as z.ZodObject[]).find(
    (option) => (option.shape[field] as z.ZodType).safeParse(name).success,
  );
}
