import { routeAccessRules } from "../rules/spec/access.ts";
import { llmServiceRules } from "../rules/spec/llm-services.ts";
import { modelRewriteRules } from "../rules/spec/model-rewrites.ts";
import { inferenceRouteRules } from "../rules/spec/route-matches.ts";
import { InferenceRouteSpec } from "../spec/inference-route.ts";
import { LLMServiceSpec } from "../spec/llm-service.ts";
import { ModelRewriteSpec, ObjectiveSpec } from "../spec/model-rewrite.ts";
import type { SpecKind } from "./spec-kind.ts";

/** Objects on pools of other users, whose names may only be known later. */

export const llmServiceSpecKind: SpecKind<LLMServiceSpec> = {
  kind: "LLMService",
  schema: LLMServiceSpec,
  rules: llmServiceRules,
};

export const modelRewriteSpecKind: SpecKind<ModelRewriteSpec> = {
  kind: "InferenceModelRewrite",
  schema: ModelRewriteSpec,
  rules: modelRewriteRules,
};

export const objectiveSpecKind: SpecKind<ObjectiveSpec> = {
  kind: "InferenceObjective",
  schema: ObjectiveSpec,
  rules: [],
};

export const inferenceRouteSpecKind: SpecKind<InferenceRouteSpec> = {
  kind: "InferenceRoute",
  schema: InferenceRouteSpec,
  rules: [...inferenceRouteRules, ...routeAccessRules],
};
