import { z } from "zod";
import { spellings } from "../spec/aliases.ts";
import { ModelRewriteSpec, RewriteRule } from "../spec/model-rewrite.ts";
import { ModelRewriteStatus } from "../status/schemas.ts";
import { twiceSpelled } from "./twice-spelled.ts";

/**
 * The InferenceModelRewrite of `inference.networking.x-k8s.io` that an API server keeps, one schema for all versions:
 * the first spells `targets` as `split`, and what is stored as one version is served as the others unchanged. That of
 * `llm-d.ai` has one spelling.
 */

const RuleObject = twiceSpelled(RewriteRule, spellings.rewriteRule);

export const TwiceSpelledRewriteSpec = ModelRewriteSpec.extend({
  rules: z.array(RuleObject).min(1).max(256),
});

/** What stands until a controller has looked (llm-d's Go types, `InferenceModelRewriteStatus`, `InferenceObjectiveStatus`). */
const pending = (type: string) => ({
  type,
  status: "Unknown" as const,
  reason: "Pending",
  message: "Waiting for controller",
  lastTransitionTime: "1970-01-01T00:00:00Z",
});

const { conditions } = ModelRewriteStatus.shape;

/** Prefaulted, since a default inside stands only where there is a status. */
const statusPending = (type: string) =>
  ModelRewriteStatus.extend({
    conditions: conditions.unwrap().default([pending(type)]),
  }).prefault({});

export const ModelRewriteObjectStatus = statusPending("Accepted");
export const ObjectiveObjectStatus = statusPending("Ready");
