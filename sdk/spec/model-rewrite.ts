import { z } from "zod";
import { apiGroup } from "../../kubernetes/kinds/field-types.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { validations, weightsOfAllOrNone } from "../../kubernetes/kinds/validation-rules.ts";
import { named, words } from "./argument.ts";
import { poolName } from "./llm-service.ts";
import { modelName, weight } from "./model-target.ts";

/**
 * InferenceModelRewrite: which model the servers of a pool are asked for. Fields and meanings are those of the
 * InferenceModelRewrite proposal; groups, versions and the default reference those of the upstream CRDs.
 */

const [llmD, gatewayApi, proposal] = rewriteVersions;

export const RewriteVersion = words(
  "RewriteVersion",
  "Versions of InferenceModelRewrite that clusters serve.",
  {
    LlmD: [llmD, "That of the endpoint picker's own project, llm-d."],
    GatewayApi: [gatewayApi, "That of the Gateway API inference extension."],
    Proposal: [proposal, "That of the proposal, whose targets are called `split`."],
  },
);

const Target = named(
  "RewriteTarget",
  z.strictObject({
    modelRewrite: modelName.describe(
      "The model that the servers are asked for. Rules are not chained.",
    ),
    // The rules of a rewrite refuse 0 with a word on what to do instead; a CRD has only the bound.
    weight: weight
      .meta({ minimum: 1 })
      .optional()
      .describe(
        "Weight of the target, 1 to 1,000,000: its share is the weight divided by the sum of weights. All targets of a rule have one, or none has.",
      ),
  }),
).describe("A share of a rule's requests.");

const Match = named(
  "ModelMatch",
  z.strictObject({
    model: named(
      "ModelNameMatch",
      z.strictObject({
        type: z
          .enum(["Exact"])
          .default("Exact")
          .describe("How the model of a request is compared."),
        value: modelName.describe("The `model` of a request."),
      }),
    ).describe("The model that a request asks for."),
  }),
).describe("Requests that a rule is for.");

export const RewriteRule = named(
  "RewriteRule",
  z.strictObject({
    matches: z
      .array(Match)
      .max(64)
      .optional()
      .describe(
        "Requests that the rule is for: those that one of the matches fits. Left out or empty: every model; rules that name a model go first.",
      ),
    targets: z
      .array(Target)
      .min(1)
      .max(64)
      .meta(validations(weightsOfAllOrNone))
      .describe("Models that the servers are asked for, by weight: at least one."),
  }),
).describe("Which models become which.");

export const RewritePoolRef = named(
  "InferencePoolReference",
  z.strictObject({
    group: apiGroup.default(groups.inference).describe("The API group of the pool."),
    kind: z.enum(["InferencePool"]).default("InferencePool").describe("The kind of the pool."),
    name: poolName.describe("The pool's name."),
  }),
).describe("An InferencePool in the same namespace.");

export const ModelRewriteSpec = z.strictObject({
  poolRef: RewritePoolRef.describe("The pool, in the same namespace."),
  rules: z
    .array(RewriteRule)
    .min(1)
    .max(256)
    .describe("The rules; the first that matches a request is used."),
});

export type RewriteRule = z.infer<typeof RewriteRule>;
export type ModelRewriteSpec = z.infer<typeof ModelRewriteSpec>;
export type ModelRewriteSpecInput = z.input<typeof ModelRewriteSpec>;

/** InferenceObjective, `llm-d.ai/v1alpha2`: a priority that requests can name in a header. */
export const ObjectiveSpec = z.strictObject({
  poolRef: RewritePoolRef.describe("The pool, in the same namespace."),
  priority: z
    .int32()
    .default(0)
    .describe(
      "Requests of a higher priority go first; those of a negative one are refused first while the pool is full.",
    ),
});
export type ObjectiveSpec = z.infer<typeof ObjectiveSpec>;
