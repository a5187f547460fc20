import { routeAccessRules } from "../rules/spec/access.ts";
import { llmServiceRules } from "../rules/spec/llm-services.ts";
import { modelRewriteRules } from "../rules/spec/model-rewrites.ts";
import { clusterSetRules } from "../rules/spec/multi-cluster/cluster-sets.ts";
import { importedPoolRules } from "../rules/spec/multi-cluster/imported-pools.ts";
import { modelRouterHasMemory } from "../rules/spec/picker-memory.ts";
import { inferencePoolRules, llmServerPoolRules } from "../rules/spec/pools.ts";
import { inferenceRouteRules } from "../rules/spec/route-matches.ts";
import { serviceObjectivesRules } from "../rules/spec/service-objectives.ts";
import { sharedPickerRules } from "../rules/spec/shared-picker.ts";
import { ClusterSetMemberSpec, ClusterSetSpec } from "../spec/cluster-set.ts";
import { ControllersSpec } from "../spec/controllers.ts";
import { ImportedPoolSpec } from "../spec/imported-pool.ts";
import { InferenceRouteSpec } from "../spec/inference-route.ts";
import { InferencePoolComponentSpec, LLMServerPoolSpec } from "../spec/llm-server-pool.ts";
import { LLMServiceSpec } from "../spec/llm-service.ts";
import { ModelRewriteSpec, ObjectiveSpec } from "../spec/model-rewrite.ts";
import { ModelRouterSpec } from "../spec/model-router.ts";
import { ServiceObjectivesSpec } from "../spec/service-objectives.ts";
import { SharedEndpointPickerSpec } from "../spec/shared-endpoint-picker.ts";
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

export const sharedEndpointPickerSpecKind: SpecKind<SharedEndpointPickerSpec> = {
  kind: "SharedEndpointPicker",
  schema: SharedEndpointPickerSpec,
  rules: sharedPickerRules,
};

export const serviceObjectivesSpecKind: SpecKind<ServiceObjectivesSpec> = {
  kind: "ServiceObjectives",
  schema: ServiceObjectivesSpec,
  rules: serviceObjectivesRules,
};

export const modelRouterSpecKind: SpecKind<ModelRouterSpec> = {
  kind: "ModelRouter",
  schema: ModelRouterSpec,
  rules: [modelRouterHasMemory],
};

export const importedPoolSpecKind: SpecKind<ImportedPoolSpec> = {
  kind: "ImportedInferencePool",
  schema: ImportedPoolSpec,
  rules: importedPoolRules,
};

export const controllersSpecKind: SpecKind<ControllersSpec> = {
  kind: "InferenceControllers",
  schema: ControllersSpec,
  rules: [],
};

export const clusterSetSpecKind: SpecKind<ClusterSetSpec> = {
  kind: "ClusterSet",
  schema: ClusterSetSpec,
  rules: clusterSetRules,
};

export const clusterSetMemberSpecKind: SpecKind<ClusterSetMemberSpec> = {
  kind: "ClusterSetMember",
  schema: ClusterSetMemberSpec,
  rules: [],
};

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
