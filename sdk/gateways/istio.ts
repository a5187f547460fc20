import { digest } from "../../kubernetes/values/canonical-json.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { claimHeaders, labelledByGateway, type RestrictedRoute } from "./access-support.ts";
import type { AskedModelRouter, Gateway, Parent, ParentBackend } from "./gateway.ts";
import { gatewayKind } from "./gateway-kind.ts";
import { gatewayTarget } from "./gateway-target.ts";

const group = "networking.istio.io";
const securityGroup = "security.istio.io";

const ownKinds = {
  DestinationRule: gatewayKind(
    { group, version: "v1", kind: "DestinationRule", plural: "destinationrules" },
    ["Namespace", "Service"],
  ),
  ServiceEntry: gatewayKind(
    { group, version: "v1", kind: "ServiceEntry", plural: "serviceentries" },
    ["Namespace"],
  ),
  // Its objects follow the model router: a gateway that calls a missing router fails all requests.
  EnvoyFilter: gatewayKind(
    { group, version: "v1alpha3", kind: "EnvoyFilter", plural: "envoyfilters" },
    ["Service", "Deployment", "DestinationRule"],
  ),
  RequestAuthentication: gatewayKind(
    {
      group: securityGroup,
      version: "v1",
      kind: "RequestAuthentication",
      plural: "requestauthentications",
    },
    ["Namespace"],
  ),
  AuthorizationPolicy: gatewayKind(
    {
      group: securityGroup,
      version: "v1",
      kind: "AuthorizationPolicy",
      plural: "authorizationpolicies",
    },
    ["Namespace", "RequestAuthentication"],
  ),
} as const;

/** Istio 1.28 or later, with the inference extension on. */
export const istio = {
  title: "Istio 1.28 or later",
  ownKinds,
  pools: {
    classes: ["istio", "istio-*"],
    proxies: "beside-gateway",
    pickerTimeoutSeconds: 1_000,
    reachesTls: true,
    severalPools: "calls one pool's picker for all requests, before the fix of istio/istio#61594",
    objects: ({ name, isTls, picker, namespace, metadata }) => [
      ...(picker === undefined
        ? []
        : [servedOverTls({ ...picker, ports: [picker.port] }, namespace, metadata(picker.name))]),
      ...(isTls ? [modelServersOverTls(name, namespace, metadata(name))] : []),
    ],
    sharedPicker: (picker) => [servedOverTls(picker, picker.namespace, picker.metadata)],
    planned: "DestinationRule for the picker's Service, and for model servers with TLS",
    access: {
      credentials: ["jwt"],
      coversGateway: true,
      proxies: { podSelector: labelledByGateway, namespaces: [] },
      objects: tokensOfGateway,
      planned: "RequestAuthentication and AuthorizationPolicy for the Gateway",
      source: "istio.io, RequestAuthentication and AuthorizationPolicy",
    },
    modelRouter: {
      tls: true,
      appProtocol: "kubernetes.io/h2c",
      objects: (router) => [
        servedOverTls({ ...router, ports: [router.port] }, router.namespace, router.metadata),
        modelRouterFilter(router),
      ],
      planned: "EnvoyFilter and DestinationRule",
      source: "inference extension, charts/body-based-routing/templates/istio.yaml",
    },
    source:
      "inference extension, charts/inferencepool/templates/istio.yaml; istio.io, Gateway API inference extension",
  },
  imports: {
    summary: "Istio. It reaches other clusters through ServiceEntries.",
    backend: undefined,
    picked: undefined,
    parents: {
      ...{ besidePool: true, ca: "caSecret", needsHostName: false, backend },
      kinds: [ownKinds.ServiceEntry, ownKinds.DestinationRule],
    },
    docs: {
      alone: "no",
      besidePool: "no",
      picker: "no: it sends requests only to the pool's pods",
      parents:
        "ServiceEntry and DestinationRule, also by weight with the pool; the CA is a Secret (`tls.caSecret`) in the gateway's namespace",
    },
    source: "Istio refuses an InferencePoolImport as a backend (InvalidDestinationKind)",
  },
} as const satisfies Gateway;

/**
 * Istio connects to Services in plain text by default, but planned programs serve TLS with a self-signed certificate.
 */
const servedOverTls = (
  { name, ports }: { readonly name: string; readonly ports: readonly number[] },
  namespace: string,
  metadata: Manifest["metadata"],
): Manifest => ({
  apiVersion: ownKinds.DestinationRule.apiVersion,
  kind: "DestinationRule",
  metadata,
  spec: {
    host: `${name}.${namespace}.svc.cluster.local`,
    trafficPolicy: {
      // Metrics on the same Service are plain text.
      portLevelSettings: ports.map((number) => ({
        port: { number },
        tls: { mode: "SIMPLE", insecureSkipVerify: true },
      })),
    },
  },
});

/**
 * Tokens of other issuers get 401, requests without a token 403. Envoy removes the header from clients' requests before
 * it sets it from the claim.
 */
function tokensOfGateway(route: RestrictedRoute): Manifest[] {
  const { access, gateway, metadata } = route;
  const { issuers = [] } = access.jwt ?? {};
  const targetRefs = [gatewayTarget(gateway ?? "")];
  return [
    {
      apiVersion: ownKinds.RequestAuthentication.apiVersion,
      kind: "RequestAuthentication",
      metadata,
      spec: {
        targetRefs,
        jwtRules: issuers.map(({ issuer, audiences, jwksUrl }) => ({
          issuer,
          audiences,
          jwksUri: jwksUrl,
          outputClaimToHeaders: claimHeaders(route),
        })),
      },
    },
    {
      apiVersion: ownKinds.AuthorizationPolicy.apiVersion,
      kind: "AuthorizationPolicy",
      metadata,
      spec: {
        targetRefs,
        action: "ALLOW",
        rules: [
          {
            from: [{ source: { requestPrincipals: issuers.map(({ issuer }) => `${issuer}/*`) } }],
          },
        ],
      },
    },
  ];
}

/** Longest name of a Service. */
const longestName = 63;

/**
 * Returns the name of the Service that Istio creates for a pool; a DestinationRule for the model servers selects it.
 * istio/istio, pilot/pkg/config/kube/gateway/inferencepool_collection.go: InferencePoolServiceName.
 */
function serviceOfPool(pool: string): string {
  const suffix = `-ip-${digest(pool).slice(0, 8)}`;
  return pool.slice(0, longestName - suffix.length) + suffix;
}

const modelServersOverTls = (
  pool: string,
  namespace: string,
  metadata: Manifest["metadata"],
): Manifest => ({
  apiVersion: ownKinds.DestinationRule.apiVersion,
  kind: "DestinationRule",
  metadata,
  spec: {
    host: `${serviceOfPool(pool)}.${namespace}.svc.cluster.local`,
    // Engines use certificates of their own, which nothing in the cluster can verify.
    trafficPolicy: { tls: { mode: "SIMPLE", insecureSkipVerify: true } },
  },
});

const typeOf = (name: string) => `type.googleapis.com/envoy.extensions.filters.http.${name}`;

/**
 * Runs before every other filter of the Gateway's proxies. It has its own name, because Istio's filter is for pickers.
 */
const modelRouterFilter = ({
  gateway,
  name,
  namespace,
  port,
  metadata,
}: AskedModelRouter): Manifest => ({
  apiVersion: ownKinds.EnvoyFilter.apiVersion,
  kind: "EnvoyFilter",
  metadata,
  spec: {
    workloadSelector: { labels: { "gateway.networking.k8s.io/gateway-name": gateway } },
    configPatches: [
      {
        applyTo: "HTTP_FILTER",
        match: {
          context: "GATEWAY",
          listener: {
            filterChain: { filter: { name: "envoy.filters.network.http_connection_manager" } },
          },
        },
        patch: {
          operation: "INSERT_FIRST",
          value: {
            name: "model-router",
            typed_config: {
              "@type": typeOf("ext_proc.v3.ExternalProcessor"),
              failure_mode_allow: false,
              // A body may arrive slowly; the router has the same timeout.
              message_timeout: "300s",
              processing_mode: {
                request_header_mode: "SEND",
                request_body_mode: "FULL_DUPLEX_STREAMED",
                request_trailer_mode: "SEND",
                response_header_mode: "SKIP",
                response_body_mode: "NONE",
                response_trailer_mode: "SKIP",
              },
              grpc_service: {
                envoy_grpc: {
                  cluster_name: `outbound|${port}||${name}.${namespace}.svc.cluster.local`,
                },
              },
            },
          },
        },
      },
    ],
  },
});

/**
 * A ServiceEntry that a backend of kind Hostname refers to, and a DestinationRule if the connection uses TLS. Both are
 * in the route's namespace, because such a backend has no namespace field.
 *
 * Only this cluster uses the host name: addresses may be names or IP addresses, and the host name of the request does
 * not change.
 */
function backend({ name, routeNamespace, metadata, host, port, tls }: Parent): ParentBackend {
  const hostname = `${name}.${routeNamespace}.internal`;
  const meta = { ...metadata, namespace: routeNamespace };
  const entry: Manifest = {
    apiVersion: ownKinds.ServiceEntry.apiVersion,
    kind: "ServiceEntry",
    metadata: meta,
    spec: {
      hosts: [hostname],
      location: "MESH_EXTERNAL",
      ports: [{ number: port, name: "http", protocol: "HTTP" }],
      resolution: "DNS",
      endpoints: [{ address: host }],
    },
  };
  const rule = (to: NonNullable<typeof tls>): Manifest => ({
    apiVersion: ownKinds.DestinationRule.apiVersion,
    kind: "DestinationRule",
    metadata: meta,
    spec: {
      host: hostname,
      trafficPolicy: {
        tls: {
          mode: "SIMPLE",
          credentialName: to.caSecret,
          sni: to.hostname,
          subjectAltNames: [to.hostname],
        },
      },
    },
  });
  return {
    objects: tls === undefined ? [entry] : [entry, rule(tls)],
    ref: { group, kind: "Hostname", name: hostname, port },
  };
}
