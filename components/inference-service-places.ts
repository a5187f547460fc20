import { gatewayKindNames } from "../sdk/gateways/index.ts";
import { decodeSidecarName, enginePolicyName } from "../sdk/topology/names.ts";
import { all, type NodesOf, named, one } from "./places.ts";
import { pickerPlaces } from "./program-places.ts";

/** Places of an InferenceService's children. Children that its spec does not need are undefined. */
export const inferenceServicePlaces = {
  /** The gang of the roles that start together. */
  podGroup: one("PodGroup"),
  /** The LeaderWorkerSets of the engines, in the order of the roles and their replicas. */
  workloads: all(["LeaderWorkerSet"]),
  /** Who decoders' sidecars are: they read which prefillers are ready. */
  decodeSidecar: {
    serviceAccount: one("ServiceAccount", named(decodeSidecarName)),
    role: one("Role", named(decodeSidecarName)),
    roleBinding: one("RoleBinding", named(decodeSidecarName)),
  },
  /** Who may open connections to the engines. */
  networkPolicy: one("NetworkPolicy", named(enginePolicyName)),
  /** The endpoint picker of the router. */
  picker: pickerPlaces,
  /** The InferencePool of the router. */
  pool: one("InferencePool"),
  /** What the gateway needs beside the pool, by `gateway.type`. */
  gatewayObjects: all(gatewayKindNames),
  /** The LLMService that registers `models` on the pool. */
  models: one("LLMService"),
  /** The InferenceModelRewrite that holds `rewrites`. */
  rewrites: one("InferenceModelRewrite"),
  /** The Gateway that the router creates. */
  gateway: one("Gateway"),
  /** The HTTPRoute to the pool. */
  route: one("HTTPRoute"),
  /** The service as an object of its own kind, with its status. */
  statusObject: one("InferenceService"),
} as const;

/** Resources of an InferenceService, by purpose. */
export type InferenceServiceNodes = NodesOf<typeof inferenceServicePlaces>;
