import { z } from "zod";
import { apiGroup, objectName } from "../../kubernetes/kinds/field-types.ts";
import { validations, weightsOfAllOrNone } from "../../kubernetes/kinds/validation-rules.ts";
import { modelName, weight } from "./model-target.ts";

/**
 * InferenceModelRewrite: which model the servers of a pool are asked for. Fields and meanings are those of the
 * InferenceModelRewrite proposal; groups, versions and the default reference those of the upstream CRDs.
 */

const Target = z.strictObject({
  modelRewrite: modelName.describe("Model that the servers are asked for."),
  // The rules of a rewrite refuse 0 with a word on what to do instead; a CRD has only the bound.
  weight: weight
    .meta({ minimum: 1 })
    .optional()
    .describe("1 to 1,000,000. All targets of a rule have one, or none has."),
});

const Match = z.strictObject({
  model: z.strictObject({
    type: z.enum(["Exact"]).default("Exact"),
    value: modelName.describe("The `model` of a request."),
  }),
});

export const RewriteRule = z.strictObject({
  matches: z.array(Match).max(64).optional().describe("Any of them. Empty: every model."),
  targets: z
    .array(Target)
    .min(1)
    .max(64)
    .meta(validations(weightsOfAllOrNone))
    .describe("Models by weight."),
});

export const RewritePoolRef = z.strictObject({
  group: apiGroup.default("inference.networking.k8s.io"),
  kind: z.enum(["InferencePool"]).default("InferencePool"),
  name: objectName,
});

export const ModelRewriteSpec = z.strictObject({
  poolRef: RewritePoolRef,
  rules: z.array(RewriteRule).min(1).max(256),
});

export type RewriteRule = z.infer<typeof RewriteRule>;
export type RewriteRuleInput = z.input<typeof RewriteRule>;
export type ModelRewriteSpec = z.infer<typeof ModelRewriteSpec>;
export type ModelRewriteSpecInput = z.input<typeof ModelRewriteSpec>;

/** InferenceObjective, `llm-d.ai/v1alpha2`: a priority that requests can name in a header. */
export const ObjectiveSpec = z.strictObject({
  poolRef: RewritePoolRef,
  priority: z
    .int32()
    .default(0)
    .describe("Higher goes first; negative is shed while the pool is full."),
});
export type ObjectiveSpec = z.infer<typeof ObjectiveSpec>;
