import { z } from "zod";
import type { Path, Problem } from "../errors.ts";
import { bare, factsOf } from "../schemas/argument.ts";
import { knownLater } from "../schemas/known-later.ts";
import { stepInto } from "../schemas/schema-path.ts";
import { valueAt } from "../schemas/value-at.ts";
import { replaced } from "./replaced.ts";
import { visitDeferred } from "./visit-deferred.ts";

/**
 * Checks whether a value may be an Output: its schema must allow that, or leave the field to Kubernetes, in which case
 * a plan passes it through. Every value that determines which objects exist, their names, or their number of pods and
 * accelerators must be plain.
 */
/** Returns every Output in a value that must be plain. */
export function misplacedOutputs(schema: z.ZodType, value: unknown): Problem[] {
  const problems: Problem[] = [];
  visitDeferred(value, [], (path) => {
    const because = reasonToBePlain(schema, path);
    if (because !== undefined) problems.push(mustBePlain(path, because));
  });
  return problems;
}

const shapesObjects = "it determines which objects are created";

/** Returns the problem of an Output in a value that must be plain. */
export const mustBePlain = (path: Path, because = shapesObjects): Problem => ({
  code: "unknown-value",
  path,
  given: "is an Output",
  allowed: `a plain value, because ${because}`,
  fix: "Pass the value itself, for example from stack configuration.",
});

/** Returns the reason why the value at a path must be plain; undefined if it may be an Output. */
export function reasonToBePlain(
  schema: z.ZodType,
  [step, ...rest]: Path,
  inherited = shapesObjects,
): string | undefined {
  const { output, plainKeys, because = inherited } = factsOf(schema);
  if (output === true) return undefined;
  if (step === undefined || plainKeys?.(String(step)) === true) return because;
  const known = bare(schema);
  // The type of a role may be wrong as well; the schema refuses fields that the role does not have.
  const variants = known instanceof z.ZodUnion ? (known.options as z.ZodType[]) : [known];
  for (const variant of variants) {
    const next = stepInto(variant, step);
    if (next === "passed-through") return undefined;
    if (next !== undefined && reasonToBePlain(next, rest, because) === undefined) return undefined;
  }
  return because;
}

/**
 * Parses a value by a schema, but keeps its Outputs.
 *
 * @throws ZodError if the schema refuses the value for any other reason than its Outputs
 */
export function parsedAround<Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed {
  const outputs = outputPaths(value);
  const parsed = schema.parse(withStandIns(schema, value)) as unknown;
  return outputs.reduce<unknown>(
    (rest, path) => replaced(rest, path, valueAt(value, path)),
    parsed,
  ) as Parsed;
}

/** Returns the value with a valid placeholder instead of each Output. */
export const withStandIns = (schema: z.ZodType, value: unknown): unknown =>
  outputPaths(value).reduce<unknown>(
    (rest, path) => replaced(rest, path, standInFor(schema, path)),
    value,
  );

/** Returns the paths of the Outputs in a value. */
export function outputPaths(value: unknown): Path[] {
  const paths: Path[] = [];
  visitDeferred(value, [], (path) => paths.push(path));
  return paths;
}

/** Returns a valid value for a path of the schema; a string if no valid value can be constructed. */
function standInFor(schema: z.ZodType, path: Path): unknown {
  const place = placesAt(schema, path).find((each) => factsOf(each).output === true);
  if (place === undefined) return knownLater;
  const known = bare(place);
  const keys = known instanceof z.ZodObject ? Object.keys(known.shape) : [];
  const candidates = [
    knownLater,
    1,
    [],
    Object.fromEntries(keys.map((key) => [key, standInFor(known, [key])])),
  ];
  return candidates.find((each) => known.safeParse(each).success) ?? knownLater;
}

/** Returns the schemas at a path, from all variants of unions. */
function placesAt(schema: z.ZodType, [step, ...rest]: Path): z.ZodType[] {
  if (step === undefined) return [schema];
  const known = bare(schema);
  const variants = known instanceof z.ZodUnion ? (known.options as z.ZodType[]) : [known];
  return variants.flatMap((variant) => {
    const next = stepInto(variant, step);
    return typeof next === "object" ? placesAt(next, rest) : [];
  });
}
