import type { GatewayType } from "../spec/imported-pool.ts";

/** What a kind of gateway can do with a pool that another cluster exports. */
export interface GatewayFacts {
  /** What stands for the exported pool as a backend; undefined where the gateway takes nothing of the kind. */
  readonly importKind?: { readonly group: string; readonly kind: string };
  /** It is made here, under a name of its own; else the controller or the gateway makes it under the pool's. */
  readonly importIsPlanned?: true;
  /** Whether such a backend may share a rule with an InferencePool: never, or where `acceptsImports` says so. */
  readonly importBesidePool?: "where-said" | "always";
  /** Where gateways of other clusters may be backends: in rules of their own, or beside an InferencePool as well. */
  readonly parents?: "alone" | "beside-pool";
  /** What holds the CA that a parent's certificate is verified by. */
  readonly parentCa?: "caConfigMap" | "caSecret";
  /** Why it is so, and where that is written. */
  readonly source: string;
}

/**
 * What each kind of gateway can do, as its source or its documentation says. A backend that a gateway does not know
 * gets its share of the requests answered with 500 (Gateway API).
 */
export const gatewayFacts: Readonly<Record<GatewayType, GatewayFacts>> = {
  generic: {
    importKind: { group: "inference.networking.x-k8s.io", kind: "InferencePoolImport" },
    importBesidePool: "where-said",
    source: "Multi-Cluster Inference proposal",
  },
  agentgateway: {
    parents: "beside-pool",
    parentCa: "caConfigMap",
    source: "agentgateway refuses an InferencePoolImport as a backend (InvalidKind)",
  },
  istio: {
    parents: "beside-pool",
    parentCa: "caSecret",
    source: "Istio refuses an InferencePoolImport as a backend (InvalidDestinationKind)",
  },
  ngf: {
    parents: "alone",
    parentCa: "caConfigMap",
    source:
      "NGINX Gateway Fabric refuses a rule with an InferencePool and another backend, and an InferencePoolImport",
  },
  gke: {
    importKind: { group: "networking.gke.io", kind: "GCPInferencePoolImport" },
    source: "GKE routes to one import that holds the pools of every cluster of the fleet",
  },
  "llm-d-global-epp": {
    importKind: { group: "inference.networking.k8s.io", kind: "InferencePool" },
    importIsPlanned: true,
    importBesidePool: "always",
    source: "llm-d-router: multicluster-file-discovery, whose endpoints are gateways of clusters",
  },
};

const isGatewayType = (type: unknown): type is GatewayType =>
  typeof type === "string" && Object.hasOwn(gatewayFacts, type);

/** The facts of a gateway as written; undefined for a type that there is not. */
export const factsOfGateway = (type: unknown = "generic"): GatewayFacts | undefined =>
  isGatewayType(type) ? gatewayFacts[type] : undefined;

/** The types of gateways that a fact holds for, in words. */
export const gatewaysWith = (holds: (facts: GatewayFacts) => boolean): string =>
  Object.entries(gatewayFacts)
    .filter(([, facts]) => holds(facts))
    .map(([type]) => type)
    .join(", ");
