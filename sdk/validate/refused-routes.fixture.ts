import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../testing/samples/sample-service.ts";
import type { RefusedService } from "./refused-service.fixture.ts";

/** A service whose router shares a picker. */
const shared = (more: object) =>
  service([worker(), router({ shared: { name: "shared", port: 10_000 }, ...more })]);

const keys = { apiKeys: { secret: "keys" } };

const tokens = {
  jwt: { issuers: [{ issuer: "i", audiences: ["llm"], jwksUrl: "https://issuer.example/keys" }] },
};

/** A service whose clients are restricted by a gateway of a type. */
const restricted = (type: string, access: object, more: object = {}) =>
  service([worker(), router({ gateway: { type }, access, ...more })]);

/** Services with refused routers, pickers, gateways and access, each with the path of its problem and one edit away from a valid service. */
export const refusedRoutes: readonly RefusedService[] = [
  ["access without credentials", "roles[1].access", restricted("envoy-gateway", {})],
  [
    "access by two credentials",
    "roles[1].access",
    restricted("envoy-gateway", { ...keys, ...tokens }),
  ],
  [
    "access without a route",
    "roles[1].access",
    restricted("envoy-gateway", keys, { httproute: undefined }),
  ],
  ["access by a gateway without a policy", "roles[1].access.apiKeys", restricted("gke", keys)],
  [
    "API keys on a gateway for tokens",
    "roles[1].access.apiKeys",
    restricted("istio", keys, {
      gateway: {
        gatewayClassName: "istio",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    }),
  ],
  ["tokens on a shared Gateway of Istio", "roles[1].access", restricted("istio", tokens)],
  [
    "tokens with keys at a path without a scheme",
    "roles[1].access.jwt.issuers[0].jwksUrl",
    restricted("envoy-gateway", {
      jwt: { issuers: [{ issuer: "i", audiences: ["llm"], jwksUrl: "keys" }] },
    }),
  ],
  [
    "a listener in snake case",
    "roles[1].gateway.listeners[0].allowed_routes",
    service([
      worker(),
      router({
        gateway: {
          gatewayClassName: "eg",
          listeners: [{ name: "http", port: 80, protocol: "HTTP", allowed_routes: {} }],
        } as never,
      }),
    ]),
  ],
  [
    "a router's port twice",
    "roles[1].targetPorts[1]",
    service([worker(), router({ targetPorts: [8000, 8000] })]),
  ],
  [
    "a router's port that is not the first",
    "roles[1].targetPort",
    service([worker(), router({ targetPort: 8001, targetPorts: [8000, 8001] })]),
  ],
  [
    "several ports in front of a decode sidecar",
    "roles[2].targetPorts",
    service([prefiller(), decoder(), router({ targetPorts: [8000, 8001] })]),
  ],
  [
    "nine ports of a router",
    "roles[1].targetPorts",
    service([worker(), router({ targetPorts: [1, 2, 3, 4, 5, 6, 7, 8, 9] })]),
  ],
  ["two routers", "roles[2].componentType", service([worker(), router(), router({ name: "r2" })])],
  ["only a router", "roles", service([router()])],
  ["a shared picker with pods of its own", "roles[1].replicas", shared({ replicas: 2 })],
  ["a shared picker with open pages", "roles[1].metricsAuth", shared({ metricsAuth: false })],
  ["a shared picker with resources", "roles[1].resources", shared({ resources: {} })],
  ["an exported service with a shared picker", "roles[1].export", shared({ export: {} })],
  ["a shared picker without a port", "roles[1].shared.port", shared({ shared: { name: "s" } })],
  [
    "traces without a receiver's URL",
    "roles[1].tracing.endpoint",
    service([worker(), router({ tracing: { endpoint: "collector:4317", sampleRatio: 1 } })]),
  ],
  [
    "prefill/decode with another strategy",
    "roles[2].strategy",
    service([prefiller(), decoder(), router({ strategy: "prefix-cache" })]),
  ],
  [
    "pd-disaggregation without prefill/decode",
    "roles[1].strategy",
    service([worker(), router({ strategy: "pd-disaggregation" })]),
  ],
  [
    "strategy and configuration",
    "roles[1].strategy",
    service([
      worker(),
      router({
        strategy: "queue-size",
        endpointPickerConfig: "{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig}",
      }),
    ]),
  ],
  [
    "a picker's configuration that is not YAML",
    "roles[1].endpointPickerConfig",
    service([worker(), router({ endpointPickerConfig: "a: [" })]),
  ],
  [
    "backends of the user",
    "roles[1].httproute.rules[0].backendRefs",
    service([
      worker(),
      router({
        httproute: { parentRefs: [{ name: "g" }], rules: [{ backendRefs: [{ name: "other" }] }] },
      }),
    ]),
  ],
  [
    "route without parent",
    "roles[1].httproute.parentRefs",
    service([worker(), router({ httproute: {} })]),
  ],
  [
    "a gateway of a class that routes to no pools",
    "roles[1].gateway.gatewayClassName",
    service([
      worker(),
      router({
        gateway: {
          gatewayClassName: "kgateway",
          listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
        },
      }),
    ]),
  ],
  [
    "a gateway that is neither a kind nor whole",
    "roles[1].gateway",
    service([worker(), router({ gateway: { gatewayClassName: "istio" } })]),
  ],
  [
    "a picker with less memory than attacks on it take",
    "roles[1].resources.limits.memory",
    service([worker(), router({ resources: { limits: { memory: "64Mi" } } })]),
  ],
];
