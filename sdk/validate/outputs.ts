import { z } from "zod";
import type { Path, Problem } from "../errors.ts";
import { knownLater } from "../invariants/written.ts";
import { bare, factsOf } from "../spec/argument.ts";
import { stepInto } from "../spec/schema-path.ts";
import { visitDeferred } from "./visit-deferred.ts";

/**
 * Where a value may be an Output: where its schema says so, and in the fields that a schema leaves to Kubernetes, which a
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

const shapesObjects = "it shapes which objects exist";

/** An Output where a plain value is meant. */
export const mustBePlain = (path: Path, because = shapesObjects): Problem => ({
  code: "unknown-value",
  path,
  given: "is an Output",
  allowed: `a plain value, since ${because}`,
  fix: "Pass the value itself, from stack configuration for example.",
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

/** A value that the schema takes at a path where an Output stands, for as long as it is not known. */
export function standInFor(schema: z.ZodType, path: Path): unknown {
  const place = path.reduce<ReturnType<typeof stepInto>>(
    (at, step) => (typeof at === "object" ? stepInto(bare(at), step) : at),
    schema,
  );
  const known = typeof place === "object" ? bare(place) : undefined;
  if (known instanceof z.ZodObject) return {};
  return known instanceof z.ZodArray ? [] : knownLater;
}
