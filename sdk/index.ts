/** Typed specs, pure planning and invariants: no I/O and no Pulumi. */

export {
  groupOf,
  identityOf,
  type Manifest,
  type ObjectMeta,
} from "../kubernetes/values/manifest.ts";
export {
  type Capacity,
  type CapacityOptions,
  capacity,
  type DeviceCount,
  type StackCapacity,
  stackCapacity,
} from "./capacity/capacity.ts";
export { formatStatus } from "./capacity/capacity-text.ts";
export type { CapacityStatus, ReplicaPlacement } from "./capacity/replica-placement.ts";
export { ownCrds } from "./crds/own-kinds.ts";
export {
  formatPath,
  formatProblem,
  type Path,
  type Problem,
  type ProblemCode,
  SpecError,
} from "./errors.ts";
export type { Finding, Invariant } from "./invariant.ts";
export * as names from "./names.ts";
export type { ClusterNode } from "./placement/cluster-node.ts";
export { type GpuNode, nodesOf, type PlacementNodes } from "./placement/gpu-nodes.ts";
export {
  nodeObstacles,
  type Obstacle,
  type ObstacleKind,
  type PlacedSpec,
} from "./placement/node-fit.ts";
export { type PlannedDocument, planDocument, plannableKinds } from "./plan/document.ts";
export { planInferenceService } from "./plan/inference-service.ts";
export type { PlanOptions } from "./plan/options.ts";
export { formatPluginReports } from "./plan/workloads/plugin-report.ts";
export type { PluginReport } from "./plan/workloads/pod-plugins.ts";
export { builtInPodPlugins } from "./plugins/built-in/index.ts";
export type {
  HookPod,
  HookRequest,
  HookWorkload,
  WorkloadIdentity,
} from "./plugins/hook-request.ts";
export { PluginRefusal, type Refusal } from "./plugins/plugin-refusal.ts";
export {
  definePodPlugin,
  type PodPlugin,
  type PodPluginDefinition,
  podPluginVersion,
} from "./plugins/pod-plugin.ts";
export {
  type PodPluginRegistry,
  type PodPluginSupport,
  podPluginRegistry,
} from "./plugins/registry.ts";
export { explainModel, type ModelExplanation } from "./routing/explain-model.ts";
export { type ModelRouting, modelRouting } from "./routing/model-routing.ts";
export { inferenceServiceRules } from "./rules/spec/index.ts";
export type {
  InferenceService,
  InferenceServiceInput,
  InferenceServiceSpec,
  InferenceServiceSpecInput,
  Metadata,
  MetadataInput,
} from "./spec/inference-service.ts";
export { fromManifest } from "./spec/inference-service-manifest.ts";
export { modelServingFromManifest } from "./spec/model-serving.ts";
export {
  llmServerPoolFromManifest,
  llmServiceFromManifest,
  modelRewriteFromManifest,
} from "./spec/own-kind-manifests.ts";
export type { InferenceRole, Role, RouterRole } from "./spec/role.ts";
export { defaultRuntimeImage } from "./topology/runtime-image.ts";
export { parseInferenceService } from "./validate/inference-service.ts";
export { version } from "./version.ts";
