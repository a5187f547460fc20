import { describe, expect, it } from "vitest";
import { identityOf } from "../../../kubernetes/values/manifest.ts";
import { modelRouterGatewayTypes, poolGatewayTypes } from "../../gateways/index.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { modelRouterSpecKind } from "../../validate/spec-kinds.ts";
import { planModelRouter } from "./model-router.ts";

const plan = (spec: object = {}, type = "generic") =>
  planModelRouter(
    parseKind(modelRouterSpecKind, {
      metadata: { name: "models", namespace: "infra" },
      spec: { gateway: { name: "gw", type }, ...spec },
    }),
  );

const name = "models-model-router";
const own = [
  `/ServiceAccount/infra/${name}`,
  `rbac.authorization.k8s.io/ClusterRole//infra-${name}`,
  `rbac.authorization.k8s.io/ClusterRoleBinding//infra-${name}`,
  `apps/Deployment/infra/${name}`,
  `policy/PodDisruptionBudget/infra/${name}`,
  `/Service/infra/${name}`,
  `networking.k8s.io/NetworkPolicy/infra/${name}`,
];

/** Objects by which each type of gateway calls the model router, and whether the connection uses TLS. */
const asking: Readonly<Record<string, readonly [tls: boolean, ...objects: string[]]>> = {
  "envoy-gateway": [
    false,
    `gateway.envoyproxy.io/EnvoyExtensionPolicy/infra/${name}`,
    `gateway.networking.k8s.io/HTTPRoute/infra/${name}`,
  ],
  agentgateway: [false, `agentgateway.dev/AgentgatewayPolicy/infra/${name}`],
  istio: [
    true,
    `networking.istio.io/DestinationRule/infra/${name}`,
    `networking.istio.io/EnvoyFilter/infra/${name}`,
  ],
  gke: [
    true,
    `networking.gke.io/GCPRoutingExtension/infra/${name}`,
    `networking.gke.io/HealthCheckPolicy/infra/${name}`,
  ],
};

describe.each(poolGatewayTypes)("a model router behind %s", (type) => {
  const [tls, ...objects] = asking[type] ?? [true];
  const planned = plan({}, type);

  it("plans the program and the objects of the gateway", () => {
    expect(planned.map(identityOf)).toEqual([...own, ...objects]);
    expect(modelRouterGatewayTypes.includes(type)).toBe(objects.length > 0);
  });

  it("sets TLS as the gateway requires, and reads only the routes of its Gateway", () => {
    const deployment = planned.find(({ kind }) => kind === "Deployment");
    expect(JSON.stringify(deployment?.spec)).toContain(
      `["model-router","--gateway=infra/gw","--secure-serving=${tls}","--metrics-endpoint-auth=true"]`,
    );
  });

  it("is called for its Gateway, at the port of its Service", () => {
    const asked = planned.slice(own.length).map(({ spec }) => JSON.stringify(spec));
    if (asked.length === 0) return;
    expect(asked.join()).toMatch(/"name":"gw"|gateway-name":"gw"/);
    expect(asked.join()).toContain(name);
    expect(asked.join()).toContain("9002");
  });
});

it("without metricsAuth a model router has no permission for reviews", () => {
  const role = plan({ metricsAuth: false }).find(({ kind }) => kind === "ClusterRole");
  expect(JSON.stringify(role?.rules)).not.toContain("reviews");
  expect(JSON.stringify(role?.rules)).not.toMatch(/"(create|update|patch|delete|get)"/);
});

it("the fallback route of Envoy Gateway has no backend", () => {
  const route = plan({}, "envoy-gateway").find(({ kind }) => kind === "HTTPRoute");
  expect(route?.spec).toEqual({
    parentRefs: [{ name: "gw" }],
    rules: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }],
  });
});
