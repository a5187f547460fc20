import { describe, expect, it } from "vitest";
import { SpecError } from "../errors.ts";
import { importedPoolRules } from "../invariants/imported-pools.ts";
import { HttpRouteSpec } from "../kubernetes/http-route.ts";
import { identityOf, type Manifest } from "../kubernetes/manifest.ts";
import { importedPoolSpecKind } from "../validate/imported-pool.ts";
import { parseKind } from "../validate/spec-kind.ts";
import { planImportedPool } from "./imported-pool.ts";

const plan = (spec: object) =>
  planImportedPool(
    parseKind(importedPoolSpecKind, {
      metadata: { name: "llm-pool", namespace: "example" },
      spec: { parentRefs: [{ name: "inf-gw" }], ...spec },
    }),
  );
const routeOf = (objects: readonly Manifest[]) => {
  const spec = objects.find(({ kind }) => kind === "HTTPRoute")?.spec;
  HttpRouteSpec.parse(spec);
  return spec as { rules: Array<{ backendRefs: unknown[] }> };
};
const backends = (spec: object) => routeOf(plan(spec)).rules[0]?.backendRefs;

const pool = { group: "inference.networking.k8s.io", kind: "InferencePool", name: "llm-pool" };
const imported = {
  group: "inference.networking.x-k8s.io",
  kind: "InferencePoolImport",
  name: "llm-pool",
};
const parents = [
  {
    cluster: "a",
    host: "gw.a.example",
    port: 443,
    weight: 2,
    tls: { caConfigMap: "a-ca", hostname: "gw.a" },
  },
];
const agentgateway = { gateway: { type: "agentgateway" }, parents };

describe("the route to an imported pool", () => {
  it("leads to the import alone, as the proposal's sample does", () => {
    const objects = plan({
      hostnames: ["my.model.com"],
      matches: [{ path: { type: "PathPrefix", value: "/completions" } }],
    });
    expect(objects.map(identityOf)).toEqual([
      "gateway.networking.k8s.io/HTTPRoute/example/llm-pool-import",
    ]);
    expect(routeOf(objects)).toEqual({
      parentRefs: [{ name: "inf-gw" }],
      hostnames: ["my.model.com"],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/completions" } }],
          backendRefs: [{ ...imported, weight: 1 }],
        },
      ],
    });
  });

  it("splits between the pool here and the import where the gateway takes imports", () => {
    expect(
      backends({ gateway: { acceptsImports: true }, local: { weight: 50 }, weight: 50 }),
    ).toEqual([
      { ...pool, weight: 50 },
      { ...imported, weight: 50 },
    ]);
  });

  it("leads to gateways of other clusters by agentgateway's own backends, verified", () => {
    const objects = plan({ ...agentgateway, local: {} });
    expect(objects[0]).toMatchObject({
      apiVersion: "agentgateway.dev/v1alpha1",
      kind: "AgentgatewayBackend",
      metadata: { name: "llm-pool-a", namespace: "example" },
      spec: {
        static: { host: "gw.a.example", port: 443 },
        policies: { tls: { caCertificateRefs: [{ name: "a-ca" }], sni: "gw.a" } },
      },
    });
    expect(routeOf(objects).rules[0]?.backendRefs).toEqual([
      { ...pool, weight: 1 },
      { group: "agentgateway.dev", kind: "AgentgatewayBackend", name: "llm-pool-a", weight: 2 },
    ]);
  });

  it("in another namespace is granted what it refers to; the namespace and a policy come where asked for", () => {
    const objects = plan({
      createNamespace: true,
      routeNamespace: "routes",
      gateway: { acceptsImports: true },
      local: {},
      tls: { caConfigMap: "ca", hostname: "epp.example" },
    });
    expect(objects.map(identityOf)).toEqual([
      "/Namespace//example",
      "gateway.networking.k8s.io/BackendTLSPolicy/example/llm-pool-import-tls",
      "gateway.networking.k8s.io/ReferenceGrant/example/llm-pool-import",
      "gateway.networking.k8s.io/HTTPRoute/routes/llm-pool-import",
    ]);
    expect(objects[2]?.spec).toEqual({
      from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "routes" }],
      to: [
        { group: pool.group, kind: pool.kind },
        { group: imported.group, kind: imported.kind },
      ],
    });
    expect(routeOf(objects).rules[0]?.backendRefs).toEqual([
      { ...pool, namespace: "example", weight: 1 },
      { ...imported, namespace: "example", weight: 1 },
    ]);
  });
});

/** Each is one edit away from a plan above. */
const refused: Array<[rule: string, spec: object, message: string]> = [
  ["weighted-imports-need-a-gateway", { local: {} }, "local: is set, and the gateway"],
  ["agentgateway-routes-by-parents", { gateway: { type: "agentgateway" } }, "parents: is missing"],
  ["parents-have-a-backend-kind", { parents }, "parents: is set for a gateway of type generic"],
  ["import-route-leads-somewhere", { weight: 0 }, "weight: is 0, as every other weight is"],
  [
    "parents-name-clusters-once",
    { ...agentgateway, parents: [...parents, ...parents] },
    'parents[1].cluster: is "a", the cluster of parents[0]',
  ],
];

describe("a route that would not work is refused", () => {
  it.each(refused)("by %s", (_, spec, message) => {
    expect(() => plan(spec)).toThrow(SpecError);
    expect(() => plan(spec)).toThrow(message);
  });

  it("by every rule there is", () => {
    expect(refused.map(([rule]) => rule)).toEqual(importedPoolRules.map(({ id }) => id));
  });
});
