/** Components: inference services, pools, models and routes, a resource each. */

import "./supported-node.ts";

export { PluginRefusal } from "../sdk/plugins/plugin-refusal.ts";
export { definePodPlugin, type PodPluginDefinition } from "../sdk/plugins/pod-plugin.ts";
export { InvalidArgsError } from "./arguments/invalid-args.ts";
export type { ComponentOptions } from "./child-options.ts";
export {
  InferenceControllers,
  type InferenceControllersNodes,
} from "./controllers.ts";
export { type ExistingCrd, type ReadCrdsOptions, readCrds } from "./crds/existing-crds.ts";
export * from "./generated/args.ts";
export {
  InferenceCrds,
  type InferenceCrdsArgs,
  type InferenceCrdsNodes,
  type SkippedCrd,
} from "./inference-crds.ts";
export { InferenceService } from "./inference-service.ts";
export { ModelServing, type ModelServingNodes } from "./model-serving/model-serving.ts";
export { discoverRewriteVersion } from "./models/discover.ts";
export { LLMService, type LLMServiceNodes } from "./models/llm-service.ts";
export { InferenceModelRewrite, type InferenceModelRewriteNodes } from "./models/model-rewrite.ts";
export { ModelRouter, type ModelRouterNodes } from "./models/model-router.ts";
export { InferenceObjective, type InferenceObjectiveNodes } from "./models/objective.ts";
export { InferenceRoute, type InferenceRouteNodes } from "./models/route.ts";
export {
  ClusterSet,
  ClusterSetMember,
  type ClusterSetMemberNodes,
  type ClusterSetNodes,
} from "./multi-cluster/cluster-set.ts";
export {
  ImportedInferencePool,
  type ImportedInferencePoolNodes,
} from "./multi-cluster/imported-pool.ts";
export {
  MultiClusterInferenceService,
  type MultiClusterNodes,
  type MultiClusterOptions,
} from "./multi-cluster/multi-cluster-service.ts";
export type { NodesOf, TransformsOf } from "./nodes/node-keys.ts";
export type { Transform } from "./nodes/transform.ts";
export {
  ServiceObjectives,
  type ServiceObjectivesNodes,
} from "./observability/service-objectives.ts";
export {
  InferencePlatform,
  type InferencePlatformArgs,
  type InferencePlatformNodes,
} from "./platform/inference-platform.ts";
export {
  type ContainerArgs,
  type ContainerPortArgs,
  type EnvVarArgs,
  type PodMetadataArgs,
  type PodSpecArgs,
  type PodTemplateArgs,
  Protocol,
  type ResourceRequirementsArgs,
} from "./pod-template.ts";
export { InferencePool } from "./pools/inference-pool.ts";
export { LLMServerPool } from "./pools/llm-server-pool.ts";
export type { PoolNodes } from "./pools/pool-node-keys.ts";
export {
  SharedEndpointPicker,
  type SharedEndpointPickerNodes,
} from "./pools/shared-endpoint-picker.ts";
export type { InferenceServiceNodes } from "./service/inference-service-node-keys.ts";
export type { ComponentSummary, Endpoints } from "./service/service-outputs.ts";
export type { GatewayResource } from "./service/service-url.ts";
export {
  decoder,
  efa,
  gcs,
  huggingFace,
  oci,
  prefiller,
  pvc,
  rdma,
  router,
  s3,
  sglang,
  sriov,
  tensorRtLlm,
  vllm,
  worker,
} from "./typed-values.ts";
