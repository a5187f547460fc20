import { z } from "zod";
import { eitherField, validations } from "../kubernetes/validation-rules.ts";
import { ModelRewriteSpec, RewriteRule } from "../spec/model-rewrite.ts";
import { ModelRewriteStatus } from "../status/schemas.ts";

/**
 * The InferenceModelRewrite that an API server keeps, one schema for all versions: the first spells `targets` as
 * `split`, and what is stored as one version is served as the others unchanged.
 */

const { targets } = RewriteRule.shape;

const RuleObject = RewriteRule.extend({
  targets: targets.optional(),
  split: targets.optional().describe("The same as targets."),
}).meta(validations(eitherField("targets", "split")));

export const ModelRewriteObjectSpec = ModelRewriteSpec.extend({
  rules: z.array(RuleObject).min(1).max(256),
});

/** What stands until a controller has looked (InferenceModelRewrite proposal, `InferenceModelRewriteStatus`). */
const pending = {
  type: "Accepted",
  status: "Unknown" as const,
  reason: "Pending",
  message: "Waiting for controller",
  lastTransitionTime: "1970-01-01T00:00:00Z",
};

const { conditions } = ModelRewriteStatus.shape;

/** Prefaulted, since a default inside stands only where there is a status. */
export const ModelRewriteObjectStatus = ModelRewriteStatus.extend({
  conditions: conditions.unwrap().default([pending]),
}).prefault({});
