import "../supported-node.ts";

export * from "../generated/kubernetes.ts";
export { Gateway, type GatewayArgs, type GatewayStatus } from "./gateway.ts";
export {
  HTTPRoute,
  type HTTPRouteArgs,
  type HTTPRouteStatus,
  type RouteParentStatus,
} from "./http-route.ts";
export { InferencePool, type InferencePoolArgs } from "./inference-pool.ts";
export { LeaderWorkerSet, type LeaderWorkerSetArgs } from "./leader-worker-set.ts";
export { PodGroup, type PodGroupArgs } from "./pod-group.ts";
export { Queue, type QueueArgs } from "./queue.ts";
