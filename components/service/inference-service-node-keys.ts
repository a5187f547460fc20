import { gatewayKindNames } from "../../sdk/gateways/index.ts";
import { decodeSidecarName, enginePolicyName, label } from "../../sdk/names.ts";
import { all, type NodesOf, named, one } from "../nodes/node-keys.ts";
import { pickerNodeKeys } from "../nodes/program-node-keys.ts";

/** Keys of an InferenceService's children. Children that its spec does not need are undefined. */
export const inferenceServiceNodeKeys = {
  /** PodGroup of the roles that start together. */
  podGroup: one("PodGroup"),
  /** LeaderWorkerSets of the engines, in the order of the roles and their replicas. */
  workloads: all(["LeaderWorkerSet"]),
  /** ScaledObjects or HorizontalPodAutoscalers of the roles, with `autoscaling`. */
  autoscalers: all(["ScaledObject", "HorizontalPodAutoscaler"]),
  /** PodDisruptionBudgets of the engine roles, in the order of the roles. */
  disruptionBudgets: all(
    ["PodDisruptionBudget"],
    ({ labels }) => labels?.[label.roleName] !== undefined,
  ),
  /** Identity of the decode sidecars, which read the ready prefillers from the API server. */
  decodeSidecar: {
    serviceAccount: one("ServiceAccount", named(decodeSidecarName)),
    role: one("Role", named(decodeSidecarName)),
    roleBinding: one("RoleBinding", named(decodeSidecarName)),
  },
  /** NetworkPolicy of the engines. */
  networkPolicy: one("NetworkPolicy", named(enginePolicyName)),
  /** Endpoint picker of the router. */
  picker: pickerNodeKeys,
  /** InferencePool of the router. */
  pool: one("InferencePool"),
  /** Further objects that the gateway needs, by `gateway.type`. */
  gatewayObjects: all(gatewayKindNames),
  /** LLMService that registers `models` on the pool. */
  models: one("LLMService"),
  /** InferenceModelRewrite that contains `rewrites`. */
  rewrites: one("InferenceModelRewrite"),
  /** Gateway that the router creates. */
  gateway: one("Gateway"),
  /** HTTPRoute to the pool. */
  route: one("HTTPRoute"),
  /** Object of kind InferenceService that contains the status. */
  statusObject: one("InferenceService"),
} as const;

/** Resources of an InferenceService, by purpose. */
export type InferenceServiceNodes = NodesOf<typeof inferenceServiceNodeKeys>;
