import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import { claimHeaders, labelledByGateway, type RestrictedRoute } from "./access-support.ts";
import type { AskedModelRouter, Gateway, Parent, ParentBackend } from "./gateway.ts";
import { gatewayKind } from "./gateway-kind.ts";
import { gatewayTarget, routeTarget } from "./gateway-target.ts";

const group = "agentgateway.dev";

const ownKinds = {
  AgentgatewayBackend: gatewayKind(
    { group, version: "v1alpha1", kind: "AgentgatewayBackend", plural: "agentgatewaybackends" },
    ["Namespace"],
  ),
  // Its objects follow the model router: a gateway that calls a missing router fails all requests.
  AgentgatewayPolicy: gatewayKind(
    { group, version: "v1alpha1", kind: "AgentgatewayPolicy", plural: "agentgatewaypolicies" },
    ["Service", "Deployment"],
  ),
} as const;

/** agentgateway, with the inference extension on. */
export const agentgateway = {
  title: "agentgateway",
  ownKinds,
  pools: {
    classes: ["agentgateway", "agentgateway-*"],
    proxies: "beside-gateway",
    pickerTimeoutSeconds: Number.POSITIVE_INFINITY,
    reachesTls: false,
    objects: () => [],
    planned: "nothing",
    access: {
      credentials: ["apiKeys", "jwt"],
      objects: (route) => [accessPolicy(route)],
      proxies: { podSelector: labelledByGateway, namespaces: [] },
      planned:
        'AgentgatewayPolicy for the route; values of the Secret are JSON: `{"key": "KEY", "metadata": {"tenant": "NAME"}}`',
      source:
        "agentgateway, AgentgatewayPolicy: apiKeyAuthentication, jwtAuthentication, transformation",
    },
    modelRouter: {
      tls: false,
      appProtocol: "kubernetes.io/h2c",
      objects: (router) => [policy(router)],
      planned: "AgentgatewayPolicy",
      source: "agentgateway.dev, External processing; API reference, ProcessingOptions",
    },
    source: "llm-d.ai, Agentgateway",
  },
  imports: {
    summary: "agentgateway. It reaches other clusters through backends of its own kind.",
    backend: undefined,
    picked: undefined,
    parents: {
      ...{ besidePool: true, ca: "caConfigMap", needsHostName: false, backend },
      kinds: [ownKinds.AgentgatewayBackend],
    },
    docs: {
      alone: "no",
      besidePool: "no",
      picker: "no: it sends requests only to the pool's pods",
      parents: "AgentgatewayBackend, also by weight with the pool",
    },
    source: "agentgateway refuses an InferencePoolImport as a backend (InvalidKind)",
  },
} as const satisfies Gateway;

/** Makes the gateway call the model router in phase PreRouting, before it chooses a route. */
const policy = ({ gateway, name, port, metadata }: AskedModelRouter): Manifest => ({
  apiVersion: ownKinds.AgentgatewayPolicy.apiVersion,
  kind: "AgentgatewayPolicy",
  metadata,
  spec: {
    targetRefs: [gatewayTarget(gateway)],
    traffic: {
      phase: "PreRouting",
      extProc: {
        backendRef: { name, port },
        processingOptions: {
          requestHeaderMode: "Send",
          requestBodyMode: "FullDuplexStreamed",
          responseHeaderMode: "Skip",
          responseBodyMode: "None",
        },
      },
    },
  },
});

/** The transformation replaces a client's own header; the new header is empty if the credential has no tenant. */
const accessPolicy = (restricted: RestrictedRoute): Manifest => {
  const { access, route, tenantHeader, metadata } = restricted;
  return {
    apiVersion: ownKinds.AgentgatewayPolicy.apiVersion,
    kind: "AgentgatewayPolicy",
    metadata,
    spec: {
      targetRefs: [routeTarget(route)],
      traffic: present({
        apiKeyAuthentication: access.apiKeys && {
          mode: "Strict",
          secretRef: { name: access.apiKeys.secret },
        },
        jwtAuthentication: access.jwt && {
          mode: "Strict",
          providers: access.jwt.issuers.map(({ issuer, audiences, jwksUrl }) => ({
            issuer,
            audiences,
            jwks: { remote: { url: jwksUrl } },
          })),
        },
        transformation: {
          request: {
            set:
              access.jwt === undefined
                ? [{ name: tenantHeader, value: 'default(apiKey.tenant, "")' }]
                : claimHeaders(restricted).map(({ header, claim }) => ({
                    name: header,
                    value: `default(jwt.${claim}, "")`,
                  })),
          },
        },
      }),
    },
  };
};

/** A static AgentgatewayBackend. */
function backend({ name, namespace, metadata, host, port, tls }: Parent): ParentBackend {
  return {
    objects: [
      {
        apiVersion: ownKinds.AgentgatewayBackend.apiVersion,
        kind: "AgentgatewayBackend",
        metadata,
        spec: present({
          static: { host, port },
          policies: tls && {
            tls: { caCertificateRefs: [{ name: tls.caConfigMap }], sni: tls.hostname },
          },
        }),
      },
    ],
    ref: { group, kind: "AgentgatewayBackend", name, namespace },
  };
}
