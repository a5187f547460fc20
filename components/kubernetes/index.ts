import "../supported-node.ts";

export type { Condition } from "./condition.ts";
export {
  type AllowedRoutes,
  type CertificateReference,
  Gateway,
  type GatewayAddress,
  type GatewayArgs,
  type GatewayInfrastructure,
  type GatewayListener,
  type GatewaySpec,
  type GatewayStatus,
  type ListenerTls,
  type LocalReference,
  type RouteGroupKind,
  type RouteNamespaces,
} from "./gateway.ts";
export {
  type HTTPBackendRef,
  type HTTPPathMatch,
  HTTPRoute,
  type HTTPRouteArgs,
  type HTTPRouteMatch,
  type HTTPRouteRule,
  type HTTPRouteSpec,
  type HTTPRouteStatus,
  type HTTPRouteTimeouts,
  type HTTPValueMatch,
  type ParentReference,
  type RouteParentStatus,
} from "./http-route.ts";
export type {
  HTTPHeader,
  HTTPHeaderModifier,
  HTTPPathModifier,
  HTTPRequestMirror,
  HTTPRequestRedirect,
  HTTPRouteFilter,
  HTTPUrlRewrite,
  MirrorBackendRef,
  MirrorFraction,
} from "./http-route-filter.ts";
export {
  type EndpointPickerRef,
  InferencePool,
  type InferencePoolArgs,
  type InferencePoolParentStatus,
  type InferencePoolSpec,
  type InferencePoolStatus,
} from "./inference-pool.ts";
export {
  LeaderWorkerSet,
  type LeaderWorkerSetArgs,
  type LeaderWorkerSetSpec,
  type LeaderWorkerSetStatus,
  type LeaderWorkerTemplate,
  type NetworkConfig,
  type RollingUpdateConfiguration,
  type RolloutStrategy,
  type SubGroupPolicy,
} from "./leader-worker-set.ts";
export {
  type NetworkTopology,
  PodGroup,
  type PodGroupArgs,
  type PodGroupCondition,
  type PodGroupSpec,
  type PodGroupStatus,
  type PodGroupSubGroup,
} from "./pod-group.ts";
export { Queue, type QueueArgs, type QueueSpec, type QueueStatus } from "./queue.ts";
