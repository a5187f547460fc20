import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { formatPath, type Path, SpecError } from "../errors.ts";
import { bare } from "../spec/argument.ts";
import { valueAt } from "../spec/value-at.ts";
import { reasonToBePlain } from "../validate/outputs.ts";
import { replaced } from "../validate/replaced.ts";
import { everyArgument } from "./every-argument.fixture.ts";

/** Every argument of every component, an Output at a time: one that may be an Output reaches the plan. */

/** Stands for Pulumi's Output: what is made of it is an Output as well, and it cannot become a string. */
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

/** Every place of a value, the innermost last. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((entry, at) => placesIn(entry, [...path, at]))
    : Object.entries(value).flatMap(([key, entry]) => placesIn(entry, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

const holdsOutput = (value: unknown): boolean =>
  isDeferred(value) ||
  (typeof value === "object" && value !== null && Object.values(value).some(holdsOutput));

/** What planning says of a spec with an Output at a place: what the plan holds, or which places are refused. */
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

/** Keys that a rule refuses, to say what to write in their place. */
const refused = ["roles[].plugins[].scope.roles", "roles[].httproute.rules[].backendRefs"];

/** Keys of a schema that no value has, by path. */
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
    it("has every argument in the examples, which are planned", () => {
      expect(missing(schema, specs).filter((path) => !refused.includes(path))).toEqual([]);
      for (const spec of specs) expect(plan(spec).length).toBeGreaterThan(0);
    });

    it("plans an Output where its schema says so, and refuses it elsewhere", () => {
      for (const spec of specs) {
        const found = placesIn(spec).map((path) => [formatPath(path), judged(plan, spec, path)]);
        const expected = placesIn(spec).map((path) => [
          formatPath(path),
          reasonToBePlain(schema, path) === undefined ? "planned" : "refused",
        ]);
        expect(found).toEqual(expected);
      }
    });
  },
);

it("an image, a name of a pool and a value of a template may be Outputs; a name and a count may not", () => {
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
