import * as pulumi from "@pulumi/pulumi";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isUnknownField, type Problem, SpecError } from "../../sdk/errors.ts";
import { valueAt } from "../../sdk/schemas/value-at.ts";
import { outputPaths } from "../../sdk/validate/outputs.ts";
import { replaced } from "../../sdk/validate/replaced.ts";
import {
  type Parsed,
  parseKind,
  problemsOfLater,
  type SpecKind,
  titleOf,
} from "../../sdk/validate/spec-kind.ts";
import { type Namespaced, namespaceOf, withPlannedNamespace } from "../base/namespace.ts";
import { InvalidArgsError, refusing } from "./invalid-args.ts";

/**
 * Returns metadata, with the resource's name if it has none. A value that is not a plain object is returned unchanged,
 * for the schema to reject.
 */
export function named(metadata: unknown, name: string): unknown {
  if (metadata === undefined) return { name };
  if (metadata === null || typeof metadata !== "object" || isDeferred(metadata)) return metadata;
  return { ...metadata, name: (metadata as { name?: unknown }).name ?? name };
}

/** Argument that is not part of the spec, with its problem, if any. */
export type OwnArgument = readonly [field: string, problem: Problem | undefined];

/** Validated arguments, the namespace as written, and the inputs that state and policies read. */
export interface ReadArgs<Spec> extends Parsed<Spec>, Namespaced {
  readonly metadata: Parsed<Spec>["metadata"];
  readonly inputs: pulumi.Inputs;
}

/**
 * Returns the validated arguments of a component: metadata, the fields of its spec, and arguments outside the spec.
 *
 * @throws InvalidArgsError listing every problem
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

/** Returns the spec. Values that are unknown are validated once they are known. */
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

/** Returns parsed arguments in their namespace. */
export function placed<Spec>(
  { metadata, spec }: Parsed<Spec>,
  namespace: pulumi.Input<string>,
): ReadArgs<Spec> {
  return { metadata, spec, namespace, inputs: { metadata: { ...metadata, namespace }, ...spec } };
}

/**
 * Runs a check of a spec. Problems of arguments outside the spec are listed first, and lists of known fields include
 * these arguments.
 */
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

/** Returns a problem with its path in the arguments, which contain the fields of the spec and others. */
function inArguments(problem: Problem, own: readonly string[]): Problem {
  const isUnknownArgument = problem.path.length === 1 && isUnknownField(problem);
  return isUnknownArgument
    ? { ...problem, allowed: ["metadata", problem.allowed, ...own].join(", ") }
    : problem;
}

/** Checks that an argument outside the spec is undefined or a value of a closed list. */
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

/** Returns the stack configuration `pulumi-inference:{key}`, the default of an argument of all components. */
export const stackSetting = (key: string): string | undefined =>
  new pulumi.Config("pulumi-inference").get(key);
