import { modelRouterHasMemory } from "../rules/spec/picker-memory.ts";
import { ModelRouterSpec } from "../spec/model-router.ts";
import type { SpecKind } from "./spec-kind.ts";

export const modelRouterSpecKind: SpecKind<ModelRouterSpec> = {
  kind: "ModelRouter",
  schema: ModelRouterSpec,
  rules: [modelRouterHasMemory],
};
