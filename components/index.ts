/** Components: inference services, pools, models and routes, a resource each. */

import "./supported-node.ts";

export { PluginRefusal } from "../sdk/plugins/plugin-refusal.ts";
export { definePodPlugin, type PodPluginDefinition } from "../sdk/plugins/pod-plugin.ts";
export type { ComponentOptions } from "./child-options.ts";
export {
  InferenceControllers,
  type InferenceControllersArgs,
  type InferenceControllersNodes,
  type PodPluginRunner,
} from "./controllers.ts";
export { type ClusterOfCrds, type ExistingCrd, readCrds } from "./existing-crds.ts";
export type { Export } from "./export-args.ts";
export { InferenceCrds, type InferenceCrdsArgs, type SkippedCrd } from "./inference-crds.ts";
export { InferenceService } from "./inference-service.ts";
export type {
  EngineRole,
  EngineType,
  Gang,
  HttpRoute,
  InferenceServiceArgs,
  Metadata,
  Multinode,
  Role,
  RouterFields,
  RouterGateway,
  RouterRole,
  SchedulingStrategy,
  WaitFor,
} from "./inference-service-args.ts";
export type { InferenceServiceNodes } from "./inference-service-nodes.ts";
export { InvalidArgsError } from "./invalid-args.ts";
export { ModelServing, type ModelServingNodes } from "./model-serving/model-serving.ts";
export type {
  GangPolicy,
  ModelServingArgs,
  ServingGroupTemplate,
  ServingRole,
} from "./model-serving/model-serving-args.ts";
export { discoverRewriteVersion } from "./models/discover.ts";
export { LLMService, type LLMServiceNodes } from "./models/llm-service.ts";
export type {
  LLMServiceArgs,
  Model,
  Objective,
  PoolReference,
  TargetModel,
} from "./models/llm-service-args.ts";
export { InferenceModelRewrite, type InferenceModelRewriteNodes } from "./models/model-rewrite.ts";
export type {
  InferenceModelRewriteArgs,
  InferenceObjectiveArgs,
  InferencePoolReference,
  ModelMatch,
  ModelNameMatch,
  RewriteRule,
  RewriteTarget,
} from "./models/model-rewrite-args.ts";
export { InferenceObjective, type InferenceObjectiveNodes } from "./models/objective.ts";
export { InferenceRoute, type InferenceRouteNodes } from "./models/route.ts";
export type { InferenceRouteArgs, InferenceRouteRule, RoutePool } from "./models/route-args.ts";
export {
  ClusterSet,
  type ClusterSetArgs,
  ClusterSetMember,
  type ClusterSetMemberArgs,
  type ClusterSetMemberNodes,
  type ClusterSetMemberRef,
  type ClusterSetNodes,
  type ExportGrant,
  type MemberLimits,
} from "./multi-cluster/cluster-set.ts";
export {
  ImportedInferencePool,
  type ImportedInferencePoolNodes,
} from "./multi-cluster/imported-pool.ts";
export type {
  GlobalPicker,
  ImportedInferencePoolArgs,
  ImportedParent,
  ImportingGateway,
  ImportPicker,
  ImportPickerTls,
  ImportTls,
  LocalPool,
  ParentTls,
} from "./multi-cluster/imported-pool-args.ts";
export {
  MultiClusterInferenceService,
  type MultiClusterInferenceServiceArgs,
  type MultiClusterNodes,
  type MultiClusterRoute,
  type ServiceCluster,
} from "./multi-cluster/multi-cluster-service.ts";
export type { NetworkPolicy } from "./network-policy-args.ts";
export type { PodPlugin, PodPluginScope, PodPluginWebhook } from "./pod-plugin-args.ts";
export {
  type Container,
  type ContainerPort,
  type EnvVar,
  type PodMetadata,
  type PodSpec,
  type PodTemplate,
  Protocol,
  type ResourceRequirements,
} from "./pod-template.ts";
export { InferencePool } from "./pools/inference-pool.ts";
export { LLMServerPool } from "./pools/llm-server-pool.ts";
export type {
  AllowedNamespace,
  EndpointPicker,
  EndpointPickerService,
  InferencePoolArgs,
  LLMServerPoolArgs,
} from "./pools/pool-args.ts";
export type { PoolNodes } from "./pools/pool-nodes.ts";
export type { DisruptionBudget, ProgramPods } from "./program-pods-args.ts";
export type { ComponentSummary, Endpoints } from "./service-outputs.ts";
export type { GatewayResource } from "./service-url.ts";
export type { ObjectTransforms, Transform } from "./transform.ts";
export {
  ComponentType,
  Executor,
  ExportMode,
  ExportServiceType,
  FailureMode,
  GangLayout,
  GatewayType,
  PodHook,
  PodPluginFailurePolicy,
  PodPluginTarget,
  PodPluginType,
  PoolGatewayType,
  PoolKind,
  RecoveryPolicy,
  RewriteVersion,
  RoutingStrategy,
  WorkloadMode,
} from "./vocabulary.ts";
