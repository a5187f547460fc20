import { llmServiceRules } from "../invariants/llm-services.ts";
import { modelRewriteRules } from "../invariants/model-rewrites.ts";
import { inferenceRouteRules } from "../invariants/route-matches.ts";
import { InferenceRouteSpec } from "../spec/inference-route.ts";
import { LLMServiceSpec } from "../spec/llm-service.ts";
import { ModelRewriteSpec, ObjectiveSpec } from "../spec/model-rewrite.ts";
import type { SpecKind } from "./spec-kind.ts";

/** What stands on pools that others make; their names may be known only later. */

export const llmServiceSpecKind: SpecKind<LLMServiceSpec> = {
  kind: "LLMService",
  schema: LLMServiceSpec,
  rules: llmServiceRules,
  deferrable: [/^poolRef\[\d+\]\.(name|namespace)$/],
};

export const modelRewriteSpecKind: SpecKind<ModelRewriteSpec> = {
  kind: "InferenceModelRewrite",
  schema: ModelRewriteSpec,
  rules: modelRewriteRules,
  deferrable: [/^poolRef\.name$/],
};

export const objectiveSpecKind: SpecKind<ObjectiveSpec> = {
  kind: "InferenceObjective",
  schema: ObjectiveSpec,
  rules: [],
  deferrable: [/^poolRef\.name$/],
};

export const inferenceRouteSpecKind: SpecKind<InferenceRouteSpec> = {
  kind: "InferenceRoute",
  schema: InferenceRouteSpec,
  rules: inferenceRouteRules,
  deferrable: [
    /^parentRefs\[\d+\]\../,
    /^hostnames\[\d+\]$/,
    /^rules\[\d+\]\.(filters|timeouts|matches\[\d+\])/,
    /^rules\[\d+\]\.pools\[\d+\]\.(name|namespace)$/,
  ],
};
