import { inferencePoolRules, llmServerPoolRules } from "../rules/spec/pools.ts";
import { InferencePoolComponentSpec, LLMServerPoolSpec } from "../spec/llm-server-pool.ts";
import type { SpecKind } from "./spec-kind.ts";

export const llmServerPoolSpecKind: SpecKind<LLMServerPoolSpec> = {
  kind: "LLMServerPool",
  schema: LLMServerPoolSpec,
  rules: llmServerPoolRules,
};

export const inferencePoolSpecKind: SpecKind<InferencePoolComponentSpec> = {
  kind: "InferencePool",
  schema: InferencePoolComponentSpec,
  rules: inferencePoolRules,
};
