import { z } from "zod";
import { nonEmptyText } from "../../kubernetes/kinds/field-types.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { identityOf, type ObjectIdentity, objectMetadata } from "./object-identity.ts";
import type { ModelRewriteObject } from "./rewrite-table.ts";

/** Reference from an objective or rewrite to its pool, with the defaults of the upstream CRDs. */
export const poolReference = z.object({
  name: z.string(),
  group: z.string().default(groups.inference),
  kind: z.string().default("InferencePool"),
});

const target = z.object({ modelRewrite: nonEmptyText, weight: z.number().nullish() });
const match = z.object({
  model: z.object({ type: z.literal("Exact").nullish(), value: z.string() }).nullish(),
});
const rewriteSchema = z.object({
  metadata: objectMetadata,
  spec: z.object({
    poolRef: poolReference,
    rules: z.array(
      z.object({
        matches: z.array(match).nullish(),
        targets: z.array(target).nullish(),
        // Name of the field in the proposal's Go type. Its YAML and the shipped CRD call it targets.
        split: z.array(target).nullish(),
      }),
    ),
  }),
});

/**
 * Reads an InferenceModelRewrite of any group and version. Unknown fields are ignored.
 * @throws ZodError, for `reasonOf`
 */
export function readModelRewrite(object: unknown): ModelRewriteObject & ObjectIdentity {
  const { metadata, spec } = rewriteSchema.parse(object);
  return {
    ...identityOf(metadata),
    poolRef: spec.poolRef,
    rules: spec.rules.map(({ matches, targets, split }) => ({
      models: matches?.length ? matches.flatMap(({ model }) => model?.value ?? []) : undefined,
      targets: (targets ?? split ?? []).map(({ modelRewrite, weight }) => ({
        model: modelRewrite,
        weight: weight ?? undefined,
      })),
    })),
  };
}
