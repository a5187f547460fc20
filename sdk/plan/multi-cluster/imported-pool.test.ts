import { describe, expect, it } from "vitest";
import { HTTPRouteSpec } from "../../../kubernetes/kinds/http-route.ts";
import { identityOf, type Manifest } from "../../../kubernetes/values/manifest.ts";
import { SpecError } from "../../errors.ts";
import { importedPoolRules } from "../../rules/spec/multi-cluster/imported-pools.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../validate/spec-kinds.ts";
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
  HTTPRouteSpec.parse(spec);
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
  it("leads only to the import, as in the proposal's sample", () => {
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

  it("splits requests between the local pool and the import if the gateway accepts imports", () => {
    expect(
      backends({ gateway: { acceptsImports: true }, local: { weight: 50 }, weight: 50 }),
    ).toEqual([
      { ...pool, weight: 50 },
      { ...imported, weight: 50 },
    ]);
  });

  it("leads to other clusters' gateways through agentgateway backends, with verified TLS", () => {
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
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([
      { ...pool, weight: 1 },
      { group: "agentgateway.dev", kind: "AgentgatewayBackend", name: "llm-pool-a", weight: 2 },
    ]);
  });

  it("leads to other clusters' gateways through Istio objects in the route's namespace, with verified TLS", () => {
    const [{ caConfigMap, ...tls }] = parents.map((parent) => parent.tls) as [
      (typeof parents)[0]["tls"],
    ];
    const objects = plan({
      gateway: { type: "istio" },
      routeNamespace: "routes",
      local: { weight: 3 },
      parents: parents.map((parent) => ({ ...parent, tls: { ...tls, caSecret: caConfigMap } })),
    });
    expect(objects.map(identityOf)).toEqual([
      "networking.istio.io/ServiceEntry/routes/llm-pool-a",
      "networking.istio.io/DestinationRule/routes/llm-pool-a",
      "gateway.networking.k8s.io/ReferenceGrant/example/llm-pool-import",
      "gateway.networking.k8s.io/HTTPRoute/routes/llm-pool-import",
    ]);
    const host = "llm-pool-a.routes.internal";
    expect(objects[0]?.spec).toEqual({
      hosts: [host],
      location: "MESH_EXTERNAL",
      ports: [{ number: 443, name: "http", protocol: "HTTP" }],
      resolution: "DNS",
      endpoints: [{ address: "gw.a.example" }],
    });
    expect(objects[1]?.spec).toEqual({
      host,
      trafficPolicy: {
        tls: { mode: "SIMPLE", credentialName: "a-ca", sni: "gw.a", subjectAltNames: ["gw.a"] },
      },
    });
    expect(objects[2]?.spec).toMatchObject({ to: [{ group: pool.group, kind: pool.kind }] });
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([
      { ...pool, namespace: "example", weight: 3 },
      { group: "networking.istio.io", kind: "Hostname", name: host, port: 443, weight: 2 },
    ]);
  });

  it("leads to other clusters' gateways through Services of NGINX Gateway Fabric, without the local pool", () => {
    const objects = plan({ gateway: { type: "ngf" }, parents });
    expect(objects.map(identityOf)).toEqual([
      "/Service/example/llm-pool-a",
      "gateway.networking.k8s.io/BackendTLSPolicy/example/llm-pool-a",
      "gateway.networking.k8s.io/HTTPRoute/example/llm-pool-import",
    ]);
    expect(objects[0]?.spec).toEqual({
      type: "ExternalName",
      externalName: "gw.a.example",
      ports: [{ name: "http", port: 443, protocol: "TCP" }],
    });
    expect(objects[1]?.spec).toEqual({
      targetRefs: [{ group: "", kind: "Service", name: "llm-pool-a" }],
      validation: {
        caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "a-ca" }],
        hostname: "gw.a",
      },
    });
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([
      { group: "", kind: "Service", name: "llm-pool-a", port: 443, weight: 2 },
    ]);
  });

  it("leads to the fleet's import on GKE, and a TLS policy verifies it", () => {
    const objects = plan({
      gateway: { type: "gke" },
      tls: { caConfigMap: "ca", hostname: "pods.example" },
    });
    const fleet = { group: "networking.gke.io", kind: "GCPInferencePoolImport", name: "llm-pool" };
    expect(objects[0]?.spec).toMatchObject({ targetRefs: [fleet] });
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([{ ...fleet, weight: 1 }]);
  });

  it("has its own picker, which verifies the pickers of other clusters", () => {
    const objects = plan({
      local: { weight: 3 },
      picker: {
        selection: "active-passive",
        order: ["east", "west"],
        localCluster: "north",
        tls: { caConfigMap: "pickers", clientCertificateSecret: "client", metrics: true },
      },
    });
    expect(objects.map(identityOf)).toEqual([
      "/ServiceAccount/example/llm-pool-import-epp",
      "rbac.authorization.k8s.io/Role/example/llm-pool-import-epp",
      "rbac.authorization.k8s.io/RoleBinding/example/llm-pool-import-epp",
      "rbac.authorization.k8s.io/ClusterRole//example-llm-pool-import-epp-metrics-auth",
      "rbac.authorization.k8s.io/ClusterRoleBinding//example-llm-pool-import-epp-metrics-auth",
      "apps/Deployment/example/llm-pool-import-epp",
      "/Service/example/llm-pool-import-epp",
      "networking.k8s.io/NetworkPolicy/example/llm-pool-import-epp",
      "inference.networking.k8s.io/InferencePool/example/llm-pool-import",
      "gateway.networking.k8s.io/HTTPRoute/example/llm-pool-import",
    ]);
    const deployment = objects.find(({ kind }) => kind === "Deployment")?.spec as {
      template: { spec: { containers: object[]; volumes: object[] } };
    };
    const { spec } = deployment.template;
    expect(spec.containers[0]).toMatchObject({
      args: [
        "--import=llm-pool",
        "--pool-namespace=example",
        "--import-selection=active-passive",
        "--import-preference=PreferOthers",
        "--import-order=east,west",
        "--local-cluster=north",
        "--remote-ca-file=/certificates/remote/ca.crt",
        "--remote-cert-path=/certificates/client",
        "--remote-metrics-tls=true",
        "--metrics-endpoint-auth=true",
      ],
      volumeMounts: [
        { name: "remote-authorities", mountPath: "/certificates/remote", readOnly: true },
        { name: "client-certificate", mountPath: "/certificates/client", readOnly: true },
      ],
    });
    expect(spec.volumes).toEqual([
      { name: "remote-authorities", configMap: { name: "pickers" } },
      { name: "client-certificate", secret: { secretName: "client" } },
    ]);
  });

  it("has a picker that presents a certificate from an issuer", () => {
    const tls = { caConfigMap: "pickers", clientCertificateIssuer: { name: "clients" } };
    const objects = plan({ picker: { tls } });
    const certificate = objects.find(({ kind }) => kind === "Certificate");
    expect(certificate).toMatchObject({
      apiVersion: "cert-manager.io/v1",
      metadata: { name: "llm-pool-import-epp-client", namespace: "example" },
      spec: {
        secretName: "llm-pool-import-epp-client",
        dnsNames: ["llm-pool-import-epp.example.svc"],
        usages: ["digital signature", "key encipherment", "client auth"],
        issuerRef: { name: "clients", kind: "Issuer", group: "cert-manager.io" },
      },
    });
    const given = { caConfigMap: "pickers", clientCertificateSecret: "llm-pool-import-epp-client" };
    expect(objects.filter((each) => each !== certificate)).toEqual(
      plan({ picker: { tls: given } }),
    );
  });

  it.each([
    ["a picker", { picker: {} }],
    ["gateways", agentgateway],
  ])("keeps requests from another cluster in the local pool, with %s", (_, spec) => {
    const matches = [
      { path: { type: "PathPrefix", value: "/x" }, headers: [{ name: "a", value: "b" }] },
    ];
    const header = "x-inference-import-hops";
    const set = [{ name: "team", value: "a" }];
    const filters = [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }];
    const [first, second] = routeOf(plan({ ...spec, local: {}, matches, filters })).rules;
    expect(first).toEqual({
      matches: [
        {
          path: { type: "PathPrefix", value: "/x" },
          headers: [
            { name: "a", value: "b" },
            { type: "Exact", name: header, value: "1" },
          ],
        },
      ],
      filters,
      backendRefs: [
        { group: "inference.networking.k8s.io", kind: "InferencePool", name: "llm-pool" },
      ],
    });
    // A picker adds the header itself; for a gateway the route adds it.
    const marked = [
      { ...filters[0], requestHeaderModifier: { set: [...set, { name: header, value: "1" }] } },
    ];
    expect(second).toMatchObject({ matches, filters: "picker" in spec ? filters : marked });
    expect(routeOf(plan({ ...spec, matches, filters })).rules).toHaveLength(1);
  });

  it("leads to a pool without pods that refers to the picker", () => {
    const objects = plan({ local: { weight: 3 }, picker: {} });
    expect(objects.find(({ kind }) => kind === "InferencePool")?.spec).toEqual({
      targetPorts: [{ number: 443 }],
      selector: { matchLabels: { "pulumi-inference/pool": "llm-pool-import" } },
      endpointPickerRef: {
        name: "llm-pool-import-epp",
        port: { number: 9002 },
        failureMode: "FailClose",
      },
    });
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([
      { ...pool, weight: 3 },
      { ...pool, name: "llm-pool-import", weight: 1 },
    ]);
    for (const type of ["envoy-gateway", "ngf"])
      expect(backends({ gateway: { type }, picker: {} })).toEqual([
        { ...pool, name: "llm-pool-import", weight: 1 },
      ]);
  });

  it("prefers this cluster up to the queue threshold, unless the local pool has its own share", () => {
    const argsOf = (spec: object) =>
      JSON.stringify(plan(spec).find(({ kind }) => kind === "Deployment")?.spec);
    expect(argsOf({ picker: { spilloverQueueThreshold: 3 } })).toContain(
      '"--import-preference=PreferLocal","--import-spillover-queue-threshold=3"',
    );
    expect(argsOf({ picker: {}, local: {} })).toContain("--import-preference=PreferOthers");
    expect(argsOf({ picker: { preference: "Any" }, local: {} })).toContain(
      "--import-preference=Any",
    );
  });

  it("is written by an agent, which may write only that route and backends in its namespace", () => {
    const objects = plan({ gateway: { type: "agentgateway" }, parentsAgent: {}, local: {} });
    expect(objects.map(identityOf)).toEqual([
      "/ServiceAccount/example/llm-pool-parents-agent",
      "rbac.authorization.k8s.io/Role/example/llm-pool-parents-agent",
      "rbac.authorization.k8s.io/RoleBinding/example/llm-pool-parents-agent",
      "/ConfigMap/example/llm-pool-parents-agent",
      "apps/Deployment/example/llm-pool-parents-agent",
    ]);
    const [, role] = objects as unknown as Array<{ rules: object[] }>;
    expect(role?.rules).toContainEqual({
      apiGroups: ["gateway.networking.k8s.io"],
      resources: ["httproutes"],
      resourceNames: ["llm-pool-import"],
      verbs: ["get", "patch"],
    });
    expect(role?.rules).toContainEqual({
      apiGroups: ["agentgateway.dev"],
      resources: ["agentgatewaybackends"],
      verbs: ["get", "list", "create", "patch", "delete"],
    });
  });

  it("gets a ReferenceGrant for its picker's pool if it is in another namespace", () => {
    const objects = plan({ routeNamespace: "routes", picker: {} });
    expect(objects.find(({ kind }) => kind === "ReferenceGrant")?.spec).toMatchObject({
      to: [{ group: pool.group, kind: pool.kind }],
    });
  });

  it("leads to a pool of llm-d's global picker, which reads the import's clusters from a file", () => {
    const objects = plan({ gateway: { type: "llm-d-global-epp" }, local: { weight: 3 } });
    expect(objects.map(identityOf)).toEqual([
      "/ServiceAccount/example/llm-pool-import-epp",
      "rbac.authorization.k8s.io/Role/example/llm-pool-import-epp",
      "rbac.authorization.k8s.io/RoleBinding/example/llm-pool-import-epp",
      "rbac.authorization.k8s.io/ClusterRole//example-llm-pool-import-epp-metrics-auth",
      "rbac.authorization.k8s.io/ClusterRoleBinding//example-llm-pool-import-epp-metrics-auth",
      "apps/Deployment/example/llm-pool-import-epp",
      "/Service/example/llm-pool-import-epp",
      "networking.k8s.io/NetworkPolicy/example/llm-pool-import-epp",
      "inference.networking.k8s.io/InferencePool/example/llm-pool-import",
      "gateway.networking.k8s.io/HTTPRoute/example/llm-pool-import",
    ]);
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([
      { ...pool, weight: 3 },
      { ...pool, name: "llm-pool-import", weight: 1 },
    ]);
  });

  it("gets a ReferenceGrant if it is in another namespace, and a namespace and a TLS policy if requested", () => {
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
    expect(routeOf(objects).rules.at(-1)?.backendRefs).toEqual([
      { ...pool, namespace: "example", weight: 1 },
      { ...imported, namespace: "example", weight: 1 },
    ]);
  });
});

/** Each spec differs from a valid one above by one edit. */
const refused: Array<[rule: string, spec: object, message: string]> = [
  ["weighted-imports-need-a-gateway", { local: {} }, "local: is set, but the gateway"],
  [
    "gateways-without-imports-route-by-parents",
    { gateway: { type: "agentgateway" } },
    "parents: is missing",
  ],
  [
    "gateways-without-imports-route-by-parents",
    { gateway: { type: "envoy-gateway" } },
    "picker: is missing; allowed: a picker for the import with gateway.type envoy-gateway",
  ],
  ["parents-have-a-backend-kind", { parents }, "parents: is set for a gateway of type generic"],
  [
    "parents-share-a-rule-where-the-gateway-can",
    { gateway: { type: "ngf" }, parents, local: {} },
    "local: is set together with `parents` for a gateway of type ngf",
  ],
  [
    "parent-ca-is-where-the-gateway-reads-it",
    { gateway: { type: "istio" }, parents },
    "parents[0].tls: has caConfigMap; allowed: caSecret for gateway.type istio",
  ],
  [
    "ngf-parents-have-names",
    { gateway: { type: "ngf" }, parents: parents.map((each) => ({ ...each, host: "10.0.0.1" })) },
    'parents[0].host: is "10.0.0.1", an IP address',
  ],
  [
    "accepts-imports-is-for-generic-gateways",
    { gateway: { type: "agentgateway", acceptsImports: true }, parents },
    "gateway.acceptsImports: is true for a gateway of type agentgateway",
  ],
  [
    "import-tls-has-an-import",
    { ...agentgateway, tls: { caConfigMap: "ca", hostname: "gw.a" } },
    "tls: is set together with `parents`",
  ],
  [
    "import-picker-fits-the-gateway",
    { ...agentgateway, picker: {} },
    "picker: is set for a gateway of type agentgateway",
  ],
  [
    "import-picker-fits-the-gateway",
    { gateway: { type: "envoy-gateway" }, picker: {}, local: {} },
    "local: is set together with `picker` for a gateway of type envoy-gateway",
  ],
  [
    "import-picker-fits-the-gateway",
    { gateway: { type: "ngf" }, picker: {}, parents },
    "picker: is set together with `parents`",
  ],
  [
    "global-picker-has-its-gateway-type",
    { globalPicker: {} },
    "globalPicker: is set for a gateway of type generic",
  ],
  [
    "import-picker-plaintext-is-without-tls",
    { picker: { plaintext: true, tls: { caConfigMap: "ca" } } },
    "picker.plaintext: is true together with `tls`",
  ],
  [
    "certificate-has-one-source",
    { picker: { tls: { clientCertificateSecret: "s", clientCertificateIssuer: { name: "i" } } } },
    "picker.tls.clientCertificateIssuer: is set together with clientCertificateSecret",
  ],
  [
    "import-order-needs-active-passive",
    { picker: { order: ["a"] } },
    "picker.order: is set with selection metric-based",
  ],
  [
    "import-preference-fits-the-local-pool",
    { local: {}, picker: { preference: "PreferLocal" } },
    "picker.preference: is PreferLocal together with `local`",
  ],
  [
    "import-spillover-needs-prefer-local",
    { local: {}, picker: { spilloverQueueThreshold: 3 } },
    "picker.spilloverQueueThreshold: is set with preference PreferOthers",
  ],
  [
    "import-nearest-needs-a-locality",
    { picker: { preference: "PreferNearest" } },
    "picker.locality: is missing with preference PreferNearest",
  ],
  [
    "import-weights-need-random-selection",
    { picker: { selection: "active-passive", weights: { a: 1 } } },
    "picker.weights: is set with selection active-passive",
  ],
  [
    "memory-limit-covers-requests",
    { picker: { resources: { limits: { memory: "64Mi" } } } },
    "picker.resources.limits.memory: is 64Mi",
  ],
  [
    "parents-agent-owns-the-route",
    { gateway: { type: "istio" }, parentsAgent: {}, parents },
    "parents: is set together with `parentsAgent`",
  ],
  ["import-route-has-a-weight", { weight: 0 }, "weight: is 0, and so is every other weight"],
  [
    "route-names-the-prefix-that-it-replaces",
    {
      filters: [
        {
          type: "URLRewrite",
          urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/v1" } },
        },
      ],
    },
    "matches: is missing, but a filter replaces a prefix",
  ],
  [
    "parents-name-clusters-once",
    { ...agentgateway, parents: [...parents, ...parents] },
    'parents[1].cluster: is "a", which is also the cluster of parents[0]',
  ],
];

describe("an invalid route", () => {
  it.each(refused)("an invalid route is refused by %s", (_, spec, message) => {
    expect(() => plan(spec)).toThrow(SpecError);
    expect(() => plan(spec)).toThrow(message);
  });

  it("every rule refuses one of the invalid routes", () => {
    expect([...new Set(refused.map(([rule]) => rule))]).toEqual(
      importedPoolRules.map(({ id }) => id),
    );
  });
});
