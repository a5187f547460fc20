import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import { claimHeaders, type RestrictedRoute } from "./access-support.ts";
import type { AskedModelRouter, Gateway } from "./gateway.ts";
import { gatewayKind } from "./gateway-kind.ts";
import { gatewayTarget, routeTarget } from "./gateway-target.ts";

const group = "gateway.envoyproxy.io";

const ownKinds = {
  // Its objects follow the model router: a gateway that calls a missing router fails all requests.
  EnvoyExtensionPolicy: gatewayKind(
    { group, version: "v1alpha1", kind: "EnvoyExtensionPolicy", plural: "envoyextensionpolicies" },
    ["Service", "Deployment"],
  ),
  SecurityPolicy: gatewayKind(
    { group, version: "v1alpha1", kind: "SecurityPolicy", plural: "securitypolicies" },
    ["Namespace"],
  ),
} as const;

/** Envoy Gateway with Envoy AI Gateway, which takes pools as backends. */
export const envoyGateway = {
  title: "Envoy Gateway with Envoy AI Gateway",
  ownKinds,
  pools: {
    classes: ["eg", "envoy", "envoy-gateway", "envoy-ai-gateway*"],
    proxies: "in-cluster",
    pickerTimeoutSeconds: 300,
    reachesTls: false,
    // Envoy's default of RouteAction.timeout (gateway.envoyproxy.io, HTTP Timeouts).
    answerLimitSeconds: 15,
    severalPools: "supports one per rule (envoyproxy/ai-gateway pull request 2657)",
    objects: () => [],
    planned: "nothing",
    access: {
      credentials: ["apiKeys", "jwt"],
      objects: (route) => [securityPolicy(route)],
      proxies: {
        podSelector: {
          matchLabels: {
            "app.kubernetes.io/managed-by": "envoy-gateway",
            "app.kubernetes.io/component": "proxy",
          },
        },
        // Its default namespace. In its mode GatewayNamespace, proxies are next to the Gateway.
        namespaces: ["envoy-gateway-system"],
      },
      planned: "SecurityPolicy for the route",
      source:
        "gateway.envoyproxy.io, API reference: APIKeyAuth, JWT; envoyproxy/gateway, internal/infrastructure/kubernetes/proxy",
    },
    modelRouter: {
      tls: false,
      appProtocol: "kubernetes.io/h2c",
      objects: (router) => [extension(router), routeOfLast(router)],
      planned: "EnvoyExtensionPolicy, and a fallback HTTPRoute",
      source: "gateway.envoyproxy.io, External Processing; API reference, ExtProcProcessingMode",
    },
    source: "aigateway.envoyproxy.io, HTTPRoute + InferencePool guide",
  },
  imports: {
    summary:
      "Envoy Gateway with Envoy AI Gateway. It sends requests to any endpoint that a picker returns.",
    backend: undefined,
    picked: "alone",
    parents: undefined,
    docs: {
      alone: "no",
      besidePool: "no",
      picker: "yes, as the only backend of its rule",
      parents: "no",
    },
    source:
      "Envoy AI Gateway, internal/extensionserver: a cluster by x-gateway-destination-endpoint, one InferencePool a rule",
  },
} as const satisfies Gateway;

/** Envoy sets the header itself, so a client's own value does not reach the picker. */
const securityPolicy = (route: RestrictedRoute): Manifest => {
  const { access, tenantHeader, metadata } = route;
  return {
    apiVersion: ownKinds.SecurityPolicy.apiVersion,
    kind: "SecurityPolicy",
    metadata,
    spec: present({
      targetRefs: [routeTarget(route.route)],
      apiKeyAuth: access.apiKeys && {
        credentialRefs: [{ name: access.apiKeys.secret }],
        extractFrom: [{ headers: ["Authorization"] }],
        forwardClientIDHeader: tenantHeader,
        sanitize: true,
      },
      jwt: access.jwt && {
        providers: access.jwt.issuers.map(({ issuer, audiences, jwksUrl }, at) => ({
          name: `issuer-${at}`,
          issuer,
          audiences,
          remoteJWKS: { uri: jwksUrl },
          claimToHeaders: claimHeaders(route),
        })),
      },
    }),
  };
};

const extension = ({ gateway, name, port, metadata }: AskedModelRouter): Manifest => ({
  apiVersion: ownKinds.EnvoyExtensionPolicy.apiVersion,
  kind: "EnvoyExtensionPolicy",
  metadata,
  spec: {
    targetRefs: [gatewayTarget(gateway)],
    extProc: [
      {
        backendRefs: [{ name, port }],
        failOpen: false,
        // A body may arrive slowly; the router has the same timeout.
        messageTimeout: "300s",
        processingMode: { request: { body: "FullDuplexStreamed" } },
      },
    ],
  },
});

/**
 * Envoy Gateway processes a request by the route that it matches first. Before the model is known, a request may match
 * no route and would get 404. This route matches all requests, has the lowest precedence, and has no backend.
 */
const routeOfLast = ({ gateway, metadata }: AskedModelRouter): Manifest => ({
  apiVersion: kinds.HTTPRoute.apiVersion,
  kind: "HTTPRoute",
  metadata,
  spec: {
    parentRefs: [{ name: gateway }],
    rules: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }],
  },
});
