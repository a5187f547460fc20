import { z } from "zod";
import { apiGroup } from "../../kubernetes/kinds/field-types.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { validations, weightsOfAllOrNone } from "../../kubernetes/kinds/validation-rules.ts";
import { named, words } from "../schemas/argument.ts";
import { poolName } from "./llm-service.ts";
import { modelName, weight } from "./model-target.ts";

/**
 * InferenceModelRewrite: replaces the model name of requests to a pool. The InferenceModelRewrite proposal defines the
 * fields; groups, versions and the default of the reference are those in the upstream CRDs.
 */

const [llmD, gatewayApi, proposal] = rewriteVersions;

export const RewriteVersion = words(
  "RewriteVersion",
  "API versions of InferenceModelRewrite that clusters serve.",
  {
    LlmD: [llmD, "Version of llm-d, the endpoint picker's upstream project."],
    GatewayApi: [gatewayApi, "Version of the Gateway API inference extension."],
    Proposal: [proposal, "Version of the proposal, which names targets `split`."],
  },
);

const Target = named(
  "RewriteTarget",
  z.strictObject({
    modelRewrite: modelName.describe("Model name that the servers receive. Rules are not chained."),
    // The rules of a rewrite refuse 0 with a fix; a CRD has only the bound.
    weight: weight
      .meta({ minimum: 1 })
      .optional()
      .describe(
        "Weight of the target, 1 to 1,000,000: its share is the weight divided by the sum of all weights. Set it for all targets of a rule or for none.",
      ),
  }),
).describe("Target that gets a share of a rule's requests.");

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
        value: modelName.describe("Value of `model` in the request."),
      }),
    ).describe("Model in the request."),
  }),
).describe("Condition on a request.");

export const RewriteRule = named(
  "RewriteRule",
  z.strictObject({
    matches: z
      .array(Match)
      .max(64)
      .optional()
      .describe(
        "Conditions, one of which a request must match. If empty or omitted, the rule matches every model; rules that name a model take precedence.",
      ),
    targets: z
      .array(Target)
      .min(1)
      .max(64)
      .meta(validations(weightsOfAllOrNone))
      .describe("Model names that the servers receive, by weight: at least one."),
  }),
).describe("Rule that rewrites model names.");

export const RewritePoolRef = named(
  "InferencePoolReference",
  z.strictObject({
    group: apiGroup.default(groups.inference).describe("API group of the pool."),
    kind: z.enum(["InferencePool"]).default("InferencePool").describe("Kind of the pool."),
    name: poolName.describe("Name of the pool."),
  }),
).describe("InferencePool in the same namespace.");

export const ModelRewriteSpec = z.strictObject({
  poolRef: RewritePoolRef.describe("Pool, in the same namespace."),
  rules: z
    .array(RewriteRule)
    .min(1)
    .max(256)
    .describe("Rules. The first one that matches a request applies."),
});

export type RewriteRule = z.infer<typeof RewriteRule>;
export type ModelRewriteSpec = z.infer<typeof ModelRewriteSpec>;
export type ModelRewriteSpecInput = z.input<typeof ModelRewriteSpec>;

/** InferenceObjective, `llm-d.ai/v1alpha2`: a priority that requests can name in a header. */
export const ObjectiveSpec = z.strictObject({
  poolRef: RewritePoolRef.describe("Pool, in the same namespace."),
  priority: z
    .int32()
    .default(0)
    .describe(
      "Priority of the requests: higher priorities are dispatched first. Requests with a negative priority are rejected first while the pool is full.",
    ),
});
export type ObjectiveSpec = z.infer<typeof ObjectiveSpec>;
