import { inferencePoolRules, llmServerPoolRules } from "../invariants/pools.ts";
import { InferencePoolComponentSpec, LLMServerPoolSpec } from "../spec/llm-server-pool.ts";
import { laterInProgramPods } from "./program-pods.ts";
import type { SpecKind } from "./spec-kind.ts";

const deferrable = [
  ...laterInProgramPods("endpointPicker\\."),
  /^endpointPicker\.serviceRef\.name$/,
];

export const llmServerPoolSpecKind: SpecKind<LLMServerPoolSpec> = {
  kind: "LLMServerPool",
  schema: LLMServerPoolSpec,
  rules: llmServerPoolRules,
  deferrable,
};

export const inferencePoolSpecKind: SpecKind<InferencePoolComponentSpec> = {
  kind: "InferencePool",
  schema: InferencePoolComponentSpec,
  rules: inferencePoolRules,
  deferrable,
};
