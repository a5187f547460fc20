import { z } from "zod";
import { spellings } from "../spec/aliases.ts";
import { ModelRewriteSpec, RewriteRule } from "../spec/model-rewrite.ts";
import { ModelRewriteStatus } from "../status/schemas.ts";
import { twiceSpelled } from "./twice-spelled.ts";

/**
 * The InferenceModelRewrite of `inference.networking.x-k8s.io` in an API server. All versions share one schema, because
 * an object of one version is served in the other versions without conversion: v1alpha1 spells `targets` as `split`.
 * The kind of `llm-d.ai` has one spelling.
 */

const RuleObject = twiceSpelled(RewriteRule, spellings.rewriteRule);

export const TwiceSpelledRewriteSpec = ModelRewriteSpec.extend({
  rules: z.array(RuleObject).min(1).max(256),
});

/**
 * Condition until a controller has set one (llm-d's Go types, `InferenceModelRewriteStatus`,
 * `InferenceObjectiveStatus`).
 */
const pending = (type: string) => ({
  type,
  status: "Unknown" as const,
  reason: "Pending",
  message: "Waiting for controller",
  lastTransitionTime: "1970-01-01T00:00:00Z",
});

const { conditions } = ModelRewriteStatus.shape;

/** Prefaulted, because a nested default applies only if the object has a status. */
const statusPending = (type: string) =>
  ModelRewriteStatus.extend({
    conditions: conditions.unwrap().default([pending(type)]),
  }).prefault({});

export const ModelRewriteObjectStatus = statusPending("Accepted");
export const ObjectiveObjectStatus = statusPending("Ready");
