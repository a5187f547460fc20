import { z } from "zod";
import type { Path, Problem } from "../errors.ts";
import { knownLater } from "../invariants/raw-spec.ts";
import { bare, factsOf } from "../spec/argument.ts";
import { stepInto } from "../spec/schema-path.ts";
import { valueAt } from "../spec/value-at.ts";
import { replaced } from "./replaced.ts";
import { visitDeferred } from "./visit-deferred.ts";

/**
 * Says whether a value may be an Output: if its schema says so, and in the fields that a schema leaves to Kubernetes, which a
 * plan passes through. Everything that decides which objects exist, how they are named or how many pods and accelerators
 * they need is plain.
 */

/** Every Output of a value that stands where a plain value is meant. */
export function misplacedOutputs(schema: z.ZodType, value: unknown): Problem[] {
  const problems: Problem[] = [];
  visitDeferred(value, [], (path) => {
    const because = reasonToBePlain(schema, path);
    if (because !== undefined) problems.push(mustBePlain(path, because));
  });
  return problems;
}

const shapesObjects = "it determines which objects are created";

/** An Output where a plain value is meant. */
export const mustBePlain = (path: Path, because = shapesObjects): Problem => ({
  code: "unknown-value",
  path,
  given: "is an Output",
  allowed: `a plain value, because ${because}`,
  fix: "Pass the value itself, for example from stack configuration.",
});

/** Why the value at a path is plain; undefined where it may be an Output. */
export function reasonToBePlain(
  schema: z.ZodType,
  [step, ...rest]: Path,
  inherited = shapesObjects,
): string | undefined {
  const { output, plainKeys, because = inherited } = factsOf(schema);
  if (output === true) return undefined;
  if (step === undefined || plainKeys?.(String(step)) === true) return because;
  const known = bare(schema);
  // Which role is meant may be wrong as well; a field that it has not is refused for that.
  const variants = known instanceof z.ZodUnion ? (known.options as z.ZodType[]) : [known];
  for (const variant of variants) {
    const next = stepInto(variant, step);
    if (next === "passed-through") return undefined;
    if (next !== undefined && reasonToBePlain(next, rest, because) === undefined) return undefined;
  }
  return because;
}

/**
 * What a schema makes of a value: its Outputs stay where they are.
 *
 * @throws ZodError for a value that the schema refuses for more than its Outputs
 */
export function parsedAround<Parsed>(schema: z.ZodType<Parsed>, value: unknown): Parsed {
  const outputs = outputPaths(value);
  const parsed = schema.parse(withStandIns(schema, value)) as unknown;
  return outputs.reduce<unknown>(
    (rest, path) => replaced(rest, path, valueAt(value, path)),
    parsed,
  ) as Parsed;
}

/** A value with something that its schema takes wherever an Output stands. */
export const withStandIns = (schema: z.ZodType, value: unknown): unknown =>
  outputPaths(value).reduce<unknown>(
    (rest, path) => replaced(rest, path, standInFor(schema, path)),
    value,
  );

/** Places of a value that are Outputs. */
export function outputPaths(value: unknown): Path[] {
  const paths: Path[] = [];
  visitDeferred(value, [], (path) => paths.push(path));
  return paths;
}

/** Returns a value that the schema takes at a path; a string if it takes none that is made up here. */
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

/** The schemas of a place, in whichever variants of unions. */
function placesAt(schema: z.ZodType, [step, ...rest]: Path): z.ZodType[] {
  if (step === undefined) return [schema];
  const known = bare(schema);
  const variants = known instanceof z.ZodUnion ? (known.options as z.ZodType[]) : [known];
  return variants.flatMap((variant) => {
    const next = stepInto(variant, step);
    return typeof next === "object" ? placesAt(next, rest) : [];
  });
}
