import { isDeferred } from "../../kubernetes/values/deferred.ts";

/** Kinds of gateways that serve an InferencePool of their own cluster. */
export const poolGatewayTypes = [
  "generic",
  "istio",
  "gke",
  "envoy-gateway",
  "kgateway",
  "agentgateway",
  "ngf",
] as const;
export type PoolGatewayType = (typeof poolGatewayTypes)[number];

/** What a kind of gateway needs to serve a pool behind a picker with the planned settings. */
export interface PoolGatewayFacts {
  readonly title: string;
  /** Names of its GatewayClasses, as its installation makes them. */
  readonly classes: RegExp;
  /** Objects that are planned beside the pool, as CustomResourceDefinitions. */
  readonly plans: readonly string[];
  /** A CustomResourceDefinition that its installation brings, by which a cluster is known to have it. */
  readonly knownBy?: string;
  /** What has to be set where it is installed, for it to serve InferencePools at all. */
  readonly install: string;
  /**
   * How it speaks to the picker, which serves TLS with a certificate of its own making unless it is given one
   * (`--secure-serving`, as upstream's).
   */
  readonly picker: string;
  /**
   * Where its proxies run: in the namespace of the Gateway, in some namespace of the cluster, or outside of it, from where
   * they have addresses that are no pods'.
   */
  readonly proxies: "beside-gateway" | "in-cluster" | "outside";
  /** Where all this is written. */
  readonly source: string;
}

/** What is known of each kind of gateway, by `gateway.type`. */
export const poolGateways: Readonly<Record<PoolGatewayType, PoolGatewayFacts>> = {
  generic: {
    title: "Any gateway that serves InferencePools by the inference extension alone",
    classes: /^$/,
    plans: [],
    install: "as its documentation says",
    picker: "TLS without verification, which is what conformant gateways do",
    proxies: "in-cluster",
    source: "Gateway API inference extension, implementers' guide",
  },
  istio: {
    title: "Istio 1.28 or later",
    classes: /^istio(-.*)?$/,
    plans: ["destinationrules.networking.istio.io"],
    knownBy: "destinationrules.networking.istio.io",
    install: "pilot with ENABLE_GATEWAY_API_INFERENCE_EXTENSION=true",
    picker:
      "plain text, or mTLS of the mesh, unless a DestinationRule says TLS without verification",
    proxies: "beside-gateway",
    source:
      "inference extension, charts/inferencepool/templates/istio.yaml; istio.io, Gateway API inference extension",
  },
  gke: {
    title: "GKE Inference Gateway",
    classes: /^gke-l7-/,
    plans: ["healthcheckpolicies.networking.gke.io", "gcpbackendpolicies.networking.gke.io"],
    knownBy: "healthcheckpolicies.networking.gke.io",
    install: "GKE 1.32.3 or later with the Gateway API and HttpLoadBalancing on",
    picker: "TLS without verification",
    proxies: "outside",
    source:
      "inference extension, charts/inferencepool/templates/gke.yaml; Google Cloud, Deploy GKE Inference Gateway",
  },
  "envoy-gateway": {
    title: "Envoy Gateway with Envoy AI Gateway",
    classes: /^(eg|envoy|envoy-gateway|envoy-ai-gateway.*)$/,
    plans: [],
    knownBy: "aigatewayroutes.aigateway.envoyproxy.io",
    install:
      "Envoy AI Gateway, and InferencePool among extensionManager.backendResources of Envoy Gateway",
    picker: "TLS without verification",
    proxies: "in-cluster",
    source: "aigateway.envoyproxy.io, HTTPRoute + InferencePool guide",
  },
  kgateway: {
    title: "kgateway",
    classes: /^kgateway$/,
    plans: [],
    knownBy: "gatewayparameters.gateway.kgateway.dev",
    install: "its chart with inferenceExtension.enabled=true",
    picker: "TLS without verification; a picker in plain text is not served (kgateway issue 11429)",
    proxies: "beside-gateway",
    source: "kgateway.dev, Inference Extension; kgateway issue 11429",
  },
  agentgateway: {
    title: "agentgateway",
    classes: /^agentgateway(-.*)?$/,
    plans: [],
    knownBy: "agentgatewaybackends.agentgateway.dev",
    install: "its chart with inferenceExtension.enabled=true",
    picker: "TLS without verification",
    proxies: "beside-gateway",
    source: "llm-d.ai, Agentgateway",
  },
  ngf: {
    title: "NGINX Gateway Fabric",
    classes: /^nginx$/,
    plans: [],
    knownBy: "nginxproxies.gateway.nginx.org",
    install: "its chart with nginxGateway.gwAPIInferenceExtension.enable=true",
    picker: "TLS without verification (--endpoint-picker-tls-skip-verify, default true)",
    proxies: "beside-gateway",
    source:
      "docs.nginx.com, Gateway API Inference Extension; nginx-gateway-fabric pull request 4105",
  },
};

/** A router's `gateway` as written: a kind of gateway, and the spec of one to create where it has any. */
export interface WrittenGateway {
  readonly type?: PoolGatewayType | undefined;
  readonly [field: string]: unknown;
}

/** The spec of the Gateway that is created; undefined where only a type, or nothing, is written. */
export function createdGateway(
  gateway: WrittenGateway | undefined,
): Record<string, unknown> | undefined {
  const { type: _type, ...spec } = gateway ?? {};
  return Object.keys(spec).length > 0 ? spec : undefined;
}

/** The kind of gateway as written, else as the name of its class tells, else generic. */
export function poolGatewayType(gateway: WrittenGateway | undefined): PoolGatewayType {
  const { type, gatewayClassName } = gateway ?? {};
  if (type !== undefined) return type;
  if (gatewayClassName === undefined || isDeferred(gatewayClassName)) return "generic";
  const ofClass = (known: PoolGatewayType) =>
    poolGateways[known].classes.test(String(gatewayClassName));
  return poolGatewayTypes.find(ofClass) ?? "generic";
}
