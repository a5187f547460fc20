import type {
  Policies,
  PolicyConfigSchema,
  PolicyResource,
  ResourceValidationArgs,
  ResourceValidationPolicy,
  StackValidationPolicy,
} from "@pulumi/policy";
import { z } from "zod";
import { applyEdit } from "../sdk/rules/helpers/edits.ts";
import { formatObjectFinding } from "../sdk/rules/helpers/format-finding.ts";
import type { StackRule } from "../sdk/rules/helpers/stack-rule.ts";
import { readStack } from "../sdk/stack/stack.ts";
import { memoizeLast } from "./memoize-last.ts";
import {
  clusterOf,
  objectOf,
  readToMarkUnknown,
  type SeenResource,
  textOf,
} from "./objects-of-resources.ts";

/**
 * Returns the rules as policies. Rules on one object run before it is created; rules on the stack run once all objects
 * are known.
 */
export const policiesOf = (rules: readonly StackRule[]): Policies =>
  rules.map((rule) => (rule.scope === "object" ? resourcePolicy(rule) : stackPolicy(rule)));

const reference = "https://github.com/pulumi-inference/pulumi-inference/blob/main/docs/policies.md";

function policyOf(rule: StackRule) {
  const configSchema = configSchemaOf(rule);
  return {
    name: rule.id,
    displayName: rule.title,
    description: `${rule.title}. ${rule.why}`,
    enforcementLevel: rule.level,
    severity: rule.level === "mandatory" ? ("high" as const) : ("medium" as const),
    remediationSteps: rule.fix,
    url: `${reference}#${rule.id}`,
    tags: [...rule.guidelines],
    ...(configSchema && { configSchema }),
  };
}

const resourcePolicy = (rule: StackRule): ResourceValidationPolicy => ({
  ...policyOf(rule),
  validateResource({ type, props, getConfig }, report) {
    const { object, stack } = readResource({ type, props });
    const { findings, unknown } = rule.judge(stack, getConfig());
    for (const finding of findings) report(formatObjectFinding(rule, finding, object));
    for (const [, ...path] of unknown) readToMarkUnknown(props, path);
  },
  ...(rule.remediate && {
    // Runs only if the policy's level is `remediate`.
    remediateResource({ type, props, getConfig }: ResourceValidationArgs) {
      const edits = rule.remediate?.(readResource({ type, props }).stack, getConfig()) ?? [];
      // The properties are a copy in which secrets stay secrets after a change.
      for (const { path, value } of edits) applyEdit(props, { path: path.slice(1), value });
      return edits.length === 0 ? undefined : props;
    },
  }),
});

const stackPolicy = (rule: StackRule): StackValidationPolicy => ({
  ...policyOf(rule),
  validateStack({ resources, getConfig }, report) {
    for (const { objects, stack } of readClusters(resources)) {
      const { findings, unknown } = rule.judge(stack, getConfig());
      for (const finding of findings) {
        const at = Number(finding.path[0]);
        report(formatObjectFinding(rule, finding, objects[at]), resources[at]?.urn);
      }
      for (const [index, ...path] of unknown)
        readToMarkUnknown(resources[Number(index)]?.props ?? {}, path);
    }
  },
});

/** The SDK passes each policy its own copy of the same resources, so they are parsed only once. */
const readResource = memoizeLast(64, textOf, (resource: SeenResource) => {
  const object = objectOf(resource);
  return { object, stack: readStack([object]) };
});

/** Returns the objects of each cluster, at the indexes of their resources. */
const readClusters = memoizeLast(
  2,
  (resources: readonly PolicyResource[]) => textOfAll(resources),
  (resources) => {
    const clusters = Map.groupBy(resources.keys(), (at) => clusterOf(resources[at]?.provider));
    return Array.from(clusters.values(), (members) => {
      const objects: unknown[] = resources.map(() => undefined);
      for (const at of members) objects[at] = objectOf(resources[at] as SeenResource);
      return { objects, stack: readStack(objects) };
    });
  },
);

function textOfAll(resources: readonly PolicyResource[]): string | undefined {
  const texts = resources.map((resource) => [
    textOf(resource),
    resource.provider && [
      resource.provider.urn,
      textOf({ type: "", props: resource.provider.props }),
    ],
  ]);
  const isWhole = texts.every(([text]) => text !== undefined);
  return isWhole ? JSON.stringify(texts) : undefined;
}

function configSchemaOf({ parameters }: StackRule): PolicyConfigSchema | undefined {
  const { properties = {} } = z.toJSONSchema(parameters, { io: "input" });
  if (Object.keys(properties).length === 0) return undefined;
  return { properties: properties as PolicyConfigSchema["properties"] };
}
