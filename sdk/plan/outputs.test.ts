import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { pathsIn } from "../../testing/paths-in.ts";
import { formatPath, type Path, SpecError } from "../errors.ts";
import { bare } from "../schemas/argument.ts";
import { valueAt } from "../schemas/value-at.ts";
import { reasonToBePlain } from "../validate/outputs.ts";
import { replaced } from "../validate/replaced.ts";
import { everyArgument } from "./every-argument.fixture.ts";

/**
 * Replaces every value of every example by an Output, one at a time. Values that may be Outputs must reach the plan.
 */

/** Mimics Pulumi's Output: `apply` returns another Output, and conversion to a string fails. */
function fakeOutput(): object {
  const refuse = () => {
    throw new Error("an Output is made a string");
  };
  return {
    __pulumiOutput: true,
    apply: () => fakeOutput(),
    toString: refuse,
    toJSON: refuse,
    [Symbol.toPrimitive]: refuse,
  };
}

const holdsOutput = (value: unknown): boolean =>
  isDeferred(value) ||
  (typeof value === "object" && value !== null && Object.values(value).some(holdsOutput));

/**
 * Returns the result of planning a spec with an Output at a path: "planned" if the plan contains an Output, "lost" if
 * it does not, "refused" if the path is refused, or else the error message.
 */
function judged(plan: (spec: unknown) => readonly object[], spec: object, path: Path): string {
  try {
    return plan(replaced(spec, path, fakeOutput())).some(holdsOutput) ? "planned" : "lost";
  } catch (error) {
    if (!(error instanceof SpecError)) return String(error);
    const isRefused = error.problems.some(
      (problem) =>
        problem.code === "unknown-value" && formatPath(problem.path) === formatPath(path),
    );
    return isRefused ? "refused" : error.message;
  }
}

/** Keys that the schema contains only so that a rule can refuse them with advice. */
const refused = ["roles[].plugins[].scope.roles", "roles[].httproute.rules[].backendRefs"];

/** Returns the keys of a schema that no value sets, as paths. */
function missing(schema: z.ZodType, values: readonly unknown[], path = ""): string[] {
  const known = bare(schema);
  if (known instanceof z.ZodArray)
    return missing(known.element as z.ZodType, values.flat(), `${path}[]`);
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  if (known instanceof z.ZodUnion) {
    const options = (known.options as z.ZodType[]).map((option) =>
      missing(
        option,
        objects.filter((value) => option.safeParse(value).success),
        path,
      ),
    );
    return options.flat();
  }
  if (!(known instanceof z.ZodObject)) return [];
  return Object.entries(known.shape).flatMap(([key, field]) => {
    const given = objects
      .map((value) => valueAt(value, [key]))
      .filter((each) => each !== undefined);
    const at = path === "" ? key : `${path}.${key}`;
    return given.length === 0 ? [at] : missing(field as z.ZodType, given, at);
  });
}

describe.each(everyArgument.map((each) => [each.kind, each] as const))(
  "%s",
  (_, { schema, specs, plan }) => {
    it("examples set every argument and can be planned", () => {
      expect(missing(schema, specs).filter((path) => !refused.includes(path))).toEqual([]);
      for (const spec of specs) expect(plan(spec).length).toBeGreaterThan(0);
    });

    it("an Output is planned if the schema permits it, and refused otherwise", () => {
      for (const spec of specs) {
        const found = pathsIn(spec).map((path) => [formatPath(path), judged(plan, spec, path)]);
        const expected = pathsIn(spec).map((path) => [
          formatPath(path),
          reasonToBePlain(schema, path) === undefined ? "planned" : "refused",
        ]);
        expect(found).toEqual(expected);
      }
    });
  },
);

it("images, pool names and template values may be Outputs; object names and counts may not", () => {
  const places: Array<[kind: string, path: Path, mayBe: boolean]> = [
    ["ImportedInferencePool", ["picker", "image"], true],
    ["ImportedInferencePool", ["globalPicker", "image"], true],
    ["ImportedInferencePool", ["picker", "resources", "limits", "memory"], true],
    ["LLMService", ["poolRef", 0, "name"], true],
    ["LLMService", ["models", 0, "name"], false],
    ["InferenceService", ["roles", 0, "template", "spec", "nodeSelector"], true],
    ["InferenceService", ["roles", 0, "template", "spec", "schedulerName"], false],
    ["InferenceService", ["roles", 0, "replicas"], false],
    ["InferenceService", ["plugins", 0, "config", "sizeLimit"], false],
  ];
  for (const [kind, path, mayBe] of places) {
    const { schema } = everyArgument.find((each) => each.kind === kind) ?? {};
    expect(reasonToBePlain(schema as z.ZodType, path) === undefined, formatPath(path)).toBe(mayBe);
  }
});
