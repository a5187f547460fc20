import { isPlainObject } from "../../../kubernetes/values/records.ts";
import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { shapeProblems } from "../../schemas/shape-problems.ts";
import { podTemplate } from "../../stack/shapes.ts";
import { inferenceRoles, type PartialSpec, routers } from "../helpers/partial-spec.ts";

/** Rules on the fields of a spec that Kubernetes defines and that are sent to the API server as written. */

const templatesHaveTheirTypes: Invariant<PartialSpec> = {
  id: "template-fields-have-their-types",
  title: "Fields of a pod template have the types that Kubernetes defines",
  why: "The API server refuses other values, and the plan reads some of these fields.",
  source: "Kubernetes API, core/v1 PodTemplateSpec",
  code: "shape",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec))
      for (const { path, ...problem } of shapeProblems(podTemplate, withoutNulls(role.template)))
        yield { ...problem, path: ["roles", index, "template", ...path] };
  },
};

/** The API server treats null as an absent field. Outputs and other objects with a class stay as they are. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

const fieldsAreInCamelCase: Invariant<PartialSpec> = {
  id: "kubernetes-fields-are-in-camel-case",
  title: "Fields that Kubernetes defines are in camel case",
  why: "The API server refuses fields in snake case, such as mount_path, or ignores them silently.",
  source: "Kubernetes API conventions: JSON field names are in camelCase",
  code: "shape",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec))
      yield* inSnakeCase(role.template, ["roles", index, "template"]);
    for (const { index, role } of routers(spec))
      for (const field of ["gateway", "httproute"] as const)
        yield* inSnakeCase(role[field], ["roles", index, field]);
  },
};

/** Fields with keys that the user chooses. */
const maps = new Set([
  "annotations",
  "labels",
  "matchLabels",
  "nodeSelector",
  "limits",
  "requests",
  "overhead",
  "options",
  "volumeAttributes",
]);

function* inSnakeCase(value: unknown, path: Path): Iterable<Finding> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* inSnakeCase(item, [...path, at]);
    return;
  }
  if (!isPlainObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (/^[a-z]+(_[a-z0-9]+)+$/.test(key)) {
      const name = key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      yield {
        path: [...path, key],
        given: `unknown field ${JSON.stringify(key)}`,
        allowed: "fields of Kubernetes, which are in camel case",
        fix: `Did you mean ${name}?`,
      };
    } else if (!maps.has(key)) yield* inSnakeCase(item, [...path, key]);
  }
}

export const kubernetesFieldRules: ReadonlyArray<Invariant<PartialSpec>> = [
  templatesHaveTheirTypes,
  fieldsAreInCamelCase,
];
