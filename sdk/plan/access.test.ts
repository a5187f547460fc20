import { expect, it } from "vitest";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { gatewayKindNames } from "../gateways/index.ts";
import { annotation } from "../names.ts";
import { parseKind } from "../validate/spec-kind.ts";
import { inferenceRouteSpecKind } from "../validate/spec-kinds.ts";
import { planInferenceService } from "./inference-service.ts";
import { planInferenceRoute } from "./models/models.ts";

const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
const keys = { apiKeys: { secret: "tenant-keys" } };
const tokens = {
  jwt: {
    issuers: [
      {
        issuer: "https://issuer.example",
        audiences: ["llm"],
        jwksUrl: "https://issuer.example/keys",
      },
    ],
    tenantClaim: "team",
  },
};

const policies = (fields: object) =>
  planInferenceService(service([worker(), router(fields)])).filter(
    ({ kind, metadata }) =>
      gatewayKindNames.some((name) => name === kind) && metadata.name === "svc-access",
  );

it.each([
  ["envoy-gateway", keys],
  ["envoy-gateway", tokens],
  ["agentgateway", keys],
  ["agentgateway", tokens],
] as const)("restricts the route of a gateway of type %s", (type, access) => {
  const planned = policies({ gateway: { type }, access });
  expect(planned.map(({ spec }) => spec)).toMatchSnapshot();
  expect(JSON.stringify(planned)).toContain("x-llm-d-inference-fairness-id");
});

it("restricts the Gateway that the plan creates behind Istio", () => {
  const gateway = { gatewayClassName: "istio", listeners };
  const planned = policies({ gateway, access: tokens, tenantHeader: "x-team" });
  expect(planned.map(({ kind, spec }) => ({ kind, spec }))).toMatchSnapshot();
});

it.each(["envoy-gateway", "agentgateway", "istio"] as const)(
  "names the tenant of several issuers by issuer and claim behind %s",
  (type) => {
    const second = { ...tokens.jwt.issuers[0], issuer: "https://second.example" };
    const access = { jwt: { issuers: [...tokens.jwt.issuers, second], tenantClaim: "team" } };
    const gateway = type === "istio" ? { gatewayClassName: "istio", listeners } : { type };
    expect(JSON.stringify(policies({ gateway, access }))).toMatch(
      /x-pulumi-inference-tenant-issuer.*x-llm-d-inference-fairness-id/,
    );
    const plan = planInferenceService(service([worker(), router({ gateway, access })]));
    expect(JSON.stringify(plan.find(({ kind }) => kind === "Deployment"))).toContain(
      "--tenant-header=x-pulumi-inference-tenant-issuer,x-llm-d-inference-fairness-id",
    );
  },
);

it.each([
  ["no audiences", { audiences: undefined }, "audiences"],
  ["an empty list of audiences", { audiences: [] }, "audiences"],
  ["keys by http", { jwksUrl: "http://issuer.example/keys" }, "https"],
  ["an issuer with a space", { issuer: "https://issuer.example x" }, "without spaces"],
])("refuses an issuer with %s", (_, fields, message) => {
  const access = { jwt: { issuers: [{ ...tokens.jwt.issuers[0], ...fields }] } };
  expect(() => policies({ gateway: { type: "envoy-gateway" }, access })).toThrow(message);
});

it("makes the picker trust the header that the gateway sets, and no other", () => {
  const picker = (fields: object) => {
    const manifests = planInferenceService(
      service([worker(), router({ gateway: { type: "envoy-gateway" }, ...fields })]),
    );
    return JSON.stringify(manifests.find(({ kind }) => kind === "Deployment"));
  };
  expect(picker({ access: keys })).toContain("--tenant-header=x-llm-d-inference-fairness-id");
  expect(picker({ access: keys })).toContain("--tenants-per-address=0");
  expect(picker({ access: keys })).toContain("--objective-header=false");
  expect(picker({ access: keys })).toContain("--follow-responses=true");
  expect(picker({ access: keys, followResponses: false })).toContain("--follow-responses=false");
  expect(picker({})).not.toContain("--objective-header");
  expect(picker({ access: keys, tenantHeader: "x-team" })).toContain("--tenant-header=x-team");
  expect(picker({})).not.toContain("--tenant-header");
});

it("restricts the route of an InferenceRoute before it creates the route", () => {
  const [policy, route, ...others] = planInferenceRoute(
    parseKind(inferenceRouteSpecKind, {
      metadata: { name: "chat", namespace: "models" },
      spec: {
        parentRefs: [{ name: "shared" }],
        gateway: { type: "envoy-gateway" },
        access: keys,
        rules: [{ pools: [{ name: "qwen" }] }],
      },
    }),
  );
  expect(policy).toMatchObject({
    kind: "SecurityPolicy",
    metadata: { name: "chat-route-access", namespace: "models" },
    spec: { targetRefs: [{ kind: "HTTPRoute", name: "chat" }] },
  });
  expect(JSON.stringify(policy)).toContain("x-llm-d-inference-fairness-id");
  expect(route).toMatchObject({ kind: "HTTPRoute", metadata: { name: "chat" } });
  expect(others).toEqual([]);
});

it("makes a shared picker trust the header", () => {
  const manifests = planInferenceService(
    service([
      worker(),
      router({
        gateway: { type: "envoy-gateway" },
        access: keys,
        shared: { name: "shared", port: 10_000 },
      }),
    ]),
  );
  const pool = manifests.find(({ kind }) => kind === "InferencePool");
  expect(pool?.metadata.annotations?.[annotation.tenantHeader]).toBe(
    "x-llm-d-inference-fairness-id",
  );
});
