import * as pulumi from "@pulumi/pulumi";
import { isDeferred } from "../kubernetes/values/deferred.ts";
import { isUnknownField, type Problem, SpecError } from "../sdk/errors.ts";
import { valueAt } from "../sdk/spec/value-at.ts";
import { outputPaths } from "../sdk/validate/outputs.ts";
import { replaced } from "../sdk/validate/replaced.ts";
import {
  type Parsed,
  parseKind,
  problemsOfLater,
  type SpecKind,
  titleOf,
} from "../sdk/validate/spec-kind.ts";
import { InvalidArgsError, refusing } from "./invalid-args.ts";
import { namespaceOf, type Placed, withPlannedNamespace } from "./namespace.ts";

/** Metadata, with the resource's name if it has none. All but a plain object is left for the schema to refuse. */
export function named(metadata: unknown, name: string): unknown {
  if (metadata === undefined) return { name };
  if (metadata === null || typeof metadata !== "object" || isDeferred(metadata)) return metadata;
  return { ...metadata, name: (metadata as { name?: unknown }).name ?? name };
}

/** An argument that stands beside the spec: what is wrong with it, if anything. */
export type OwnArgument = readonly [field: string, problem: Problem | undefined];

/** Validated arguments, the namespace as it was given, and what state and policies see of all that. */
export interface ReadArgs<Spec> extends Parsed<Spec>, Placed {
  readonly metadata: Parsed<Spec>["metadata"];
  readonly inputs: pulumi.Inputs;
}

/**
 * The arguments of a component: metadata, the fields of its spec, and those that are the component's own.
 *
 * @throws InvalidArgsError with every problem
 */
export function readArgs<Spec>(
  kind: SpecKind<Spec>,
  name: string,
  args: object | undefined,
  own: readonly OwnArgument[] = [],
): ReadArgs<Spec> {
  const { metadata: written, ...fields } = (args ?? {}) as Record<string, unknown>;
  const spec = Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => value !== undefined && !own.some(([other]) => other === field),
    ),
  );
  const metadata = withPlannedNamespace(named(written, name));
  const title = titleOf(kind.kind, metadata);
  const parsed = refusing(() =>
    withOwnArguments(own, title, () => parseKind(kind, { metadata, spec })),
  );
  const checked = { metadata: parsed.metadata, spec: checkedLater(kind, title, parsed.spec) };
  return placed(checked, namespaceOf(title, written, parsed.metadata));
}

/** The spec; a value that is known only later is held to the schema once it is known. */
function checkedLater<Spec>(kind: SpecKind<Spec>, title: string, spec: Spec): Spec {
  return outputPaths(spec).reduce<unknown>((rest, path) => {
    const later = pulumi.output(valueAt(spec, path) as pulumi.Input<string | undefined>);
    const checked = later.apply((known) => {
      const problems = problemsOfLater(kind, spec, path, known);
      if (problems.length > 0) throw new InvalidArgsError(new SpecError(title, problems));
      return known;
    });
    return replaced(rest, path, checked);
  }, spec) as Spec;
}

/** Parsed arguments in their namespace. */
export function placed<Spec>(
  { metadata, spec }: Parsed<Spec>,
  namespace: pulumi.Input<string>,
): ReadArgs<Spec> {
  return { metadata, spec, namespace, inputs: { metadata: { ...metadata, namespace }, ...spec } };
}

/** Runs a check of a spec; problems of the component's own arguments come first, and its list of fields names them. */
export function withOwnArguments<T>(own: readonly OwnArgument[], title: string, check: () => T): T {
  const problems = own.flatMap(([, problem]) => (problem === undefined ? [] : [problem]));
  const fields = own.map(([field]) => field);
  let result: T;
  try {
    result = check();
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const others = error.problems.map((problem) => inArguments(problem, fields));
    throw new SpecError(error.object, [...problems, ...others]);
  }
  if (problems.length > 0) throw new SpecError(title, problems);
  return result;
}

/** The fields of a spec stand beside others in the arguments. */
function inArguments(problem: Problem, own: readonly string[]): Problem {
  const isUnknownArgument = problem.path.length === 1 && isUnknownField(problem);
  return isUnknownArgument
    ? { ...problem, allowed: ["metadata", problem.allowed, ...own].join(", ") }
    : problem;
}

/** One of a closed list, or left out. */
export function oneOf(
  field: string,
  value: unknown,
  allowed: readonly unknown[],
  fix: string,
): OwnArgument {
  if (value === undefined || allowed.includes(value)) return [field, undefined];
  return [
    field,
    {
      code: "shape",
      path: [field],
      given: isDeferred(value) ? "is an Output" : `is ${JSON.stringify(value)}`,
      allowed: words(allowed),
      fix,
    },
  ];
}

const words = (values: readonly unknown[]) =>
  values.length === 2 ? values.join(" or ") : values.join(", ");

/** A setting of the stack that stands for an argument of every component, `pulumi-inference:{key}`. */
export const stackSetting = (key: string): string | undefined =>
  new pulumi.Config("pulumi-inference").get(key);
