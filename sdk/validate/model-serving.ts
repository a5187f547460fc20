import { isMap } from "../../kubernetes/values/records.ts";
import type { Invariant } from "../invariant.ts";
import { builtInSupport, type PodPluginSupport } from "../plugins/registry.ts";
import type { RawSpec } from "../rules/helpers/raw-spec.ts";
import { modelServingRules } from "../rules/spec/model-servings.ts";
import type { WrittenPlugins } from "../rules/spec/pod-plugins.ts";
import type { PodTemplate } from "../schemas/pod-template.ts";
import { ModelServingSpec, modelServingKind } from "../spec/model-serving.ts";
import { allPodPluginRules } from "./pod-plugins.ts";
import { type Parsed, parseKind, type SpecKind } from "./spec-kind.ts";

export type ModelServing = Parsed<ModelServingSpec>;

/** Schema and rules of a ModelServing. */
export const modelServingSpecKind = (
  podPlugins: PodPluginSupport = builtInSupport,
): SpecKind<ModelServingSpec> => ({
  kind: modelServingKind.kind,
  schema: ModelServingSpec,
  rules: [...modelServingRules, ...allPodPluginRules.map((rule) => onPlugins(rule, podPlugins))],
});

/**
 * Validates a ModelServing and fills in its defaults.
 *
 * @throws SpecError with every problem
 */
export function parseModelServing(
  input: { metadata: unknown; spec: unknown },
  podPlugins?: PodPluginSupport,
): ModelServing {
  return withWrittenTemplates(parseKind(modelServingSpecKind(podPlugins), input), input.spec);
}

/** Templates keep the author's key order. */
export function withWrittenTemplates(
  { metadata, spec }: ModelServing,
  written: unknown,
): ModelServing {
  const { template } = written as { template: { roles: WrittenTemplates[] } };
  const roles = spec.template.roles.map((role, at) => {
    const { entryTemplate = role.entryTemplate, workerTemplate } = template.roles[at] ?? {};
    return { ...role, entryTemplate, ...(workerTemplate === undefined ? {} : { workerTemplate }) };
  });
  return { metadata, spec: { ...spec, template: { ...spec.template, roles } } };
}

interface WrittenTemplates {
  entryTemplate?: PodTemplate;
  workerTemplate?: PodTemplate;
}

/** Turns a rule on plugins into a rule on the plugins of a ModelServing. */
const onPlugins = (
  rule: Invariant<WrittenPlugins>,
  support: PodPluginSupport,
): Invariant<RawSpec> => ({
  ...rule,
  check: ({ spec }) =>
    rule.check({
      support,
      lists: [{ path: ["plugins"], entries: spec.plugins }],
      roles: rolesOf(spec.template),
    }),
});

function rolesOf(template: unknown): WrittenPlugins["roles"] {
  const roles: unknown[] = isMap(template) && Array.isArray(template.roles) ? template.roles : [];
  return roles.filter(isMap).map(({ name, workerReplicas }) => ({
    name: typeof name === "string" ? name : "role",
    hasWorkers: Number(workerReplicas) > 0,
  }));
}
