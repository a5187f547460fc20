import "../supported-node.ts";

export type { Condition } from "./condition.ts";
export {
  Gateway,
  type GatewayArgs,
  type GatewayListener,
  type GatewaySpec,
  type GatewayStatus,
} from "./gateway.ts";
export {
  type HTTPBackendRef,
  HTTPRoute,
  type HTTPRouteArgs,
  type HTTPRouteRule,
  type HTTPRouteSpec,
  type HTTPRouteStatus,
  type ParentReference,
  type RouteParentStatus,
} from "./http-route.ts";
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
