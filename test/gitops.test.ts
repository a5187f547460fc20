import { afterAll, beforeAll, expect, it } from "vitest";
import { renderProgram } from "../cli/render/render-program.ts";
import { components } from "../components/every-component.fixture.ts";
import { applyPatchType } from "../kubernetes/api/patch-types.ts";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import { planInferenceService } from "../sdk/index.ts";
import { startCluster } from "../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../testing/api/cluster.ts";
import { crdGroups, crdsWithOwn, installCrd } from "../testing/api/install-crds.ts";
import { objectPath } from "../testing/object-path.ts";
import { router, service, worker } from "../testing/samples/sample-service.ts";
import { certificateCrd } from "../testing/stand-ins/certificate-crd.ts";

/** API groups of gateways. GKE and agentgateway publish their CRDs in no Go module. */
const gatewayCrdGroups = [
  "gateway.envoyproxy.io",
  "networking.istio.io",
  "security.istio.io",
] as const;

/**
 * Manifests of programs on a real API server, as Argo CD and Flux apply them: server-side, again and again. A second
 * apply that changes nothing shows no difference.
 */

let cluster: Cluster;
beforeAll(async () => {
  // A cluster of its own, because admission policies and webhooks of a component apply to all namespaces.
  cluster = await startCluster({
    crds: await crdsWithOwn([...crdGroups, ...gatewayCrdGroups, "monitoring.coreos.com"]),
  });
  await installCrd(cluster, certificateCrd);
  // Namespaces of other teams that the arguments of components name.
  for (const name of ["chat", "routes"])
    await cluster.request("POST", "/api/v1/namespaces", { metadata: { name } });
}, 120_000);
afterAll(() => cluster?.stop());

/** Applies an object as a GitOps tool does. Returns the object without its version in the store. */
async function apply(manifest: Manifest): Promise<Manifest> {
  const path = `${objectPath(manifest)}?fieldManager=gitops&fieldValidation=Strict`;
  const live = await cluster.request<Manifest>("PATCH", path, manifest, applyPatchType);
  const {
    resourceVersion: _,
    managedFields: __,
    ...metadata
  } = live.metadata as Manifest["metadata"] & Record<"resourceVersion" | "managedFields", unknown>;
  return { ...live, metadata };
}

const keys = { apiKeys: { secret: "keys" } };
const tokens = {
  jwt: {
    issuers: [
      {
        issuer: "https://issuer.example",
        audiences: ["llm"],
        jwksUrl: "https://issuer.example/keys",
      },
    ],
  },
};
const ownGateway = {
  gatewayClassName: "istio",
  listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
};

it.each([
  ["envoy-gateway", { type: "envoy-gateway" }, keys],
  ["envoy-gateway", { type: "envoy-gateway" }, tokens],
  ["istio", ownGateway, tokens],
] as const)("the CRDs of %s accept the planned access policies", async (_, gateway, access) => {
  const namespace = await freshNamespace(cluster, "access");
  const planned = planInferenceService({
    ...service([worker(), router({ gateway, access })]),
    metadata: { name: "svc", namespace },
  });
  const policies = planned.filter(({ metadata }) => metadata.name === "svc-access");
  expect(policies.length).toBeGreaterThan(0);
  for (const policy of policies) expect((await apply(policy)).kind).toBe(policy.kind);
});

/** Kinds of other projects that this API server does not serve. */
const unserved = new Set<string>();

it.each(components.map((each) => [each.title, each] as const))(
  "a second apply of the manifests of %s changes nothing",
  async (_, { type, argsOf }) => {
    const namespace = await freshNamespace(cluster, "gitops");
    const run = async () =>
      void new type("shop", { ...argsOf("shop"), metadata: { namespace } } as never);
    const { manifests } = await renderProgram(
      { project: "gitops", stack: "test", program: { run } } as never,
      { err: { write: () => {} } } as never,
    );
    expect(manifests.length).toBeGreaterThan(0);
    for (const manifest of manifests) {
      if (!(await isServed(manifest))) {
        unserved.add(manifest.kind);
        continue;
      }
      const first = await apply(manifest);
      expect(await apply(manifest), manifest.kind).toEqual(first);
    }
  },
);

it("only kinds of GKE and agentgateway have no CRD in this test", () => {
  expect([...unserved].sort()).toMatchInlineSnapshot(`
    [
      "AgentgatewayBackend",
      "AgentgatewayPolicy",
      "GCPBackendPolicy",
      "GCPRoutingExtension",
      "HealthCheckPolicy",
    ]
  `);
});

const served = new Map<string, Promise<Set<string>>>();

/** Whether the API server serves the kind of an object. */
async function isServed({ apiVersion, kind }: Manifest): Promise<boolean> {
  const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  let kinds = served.get(apiVersion);
  if (kinds === undefined) {
    kinds = cluster
      .request<{ resources: { kind: string }[] }>("GET", path)
      .then(({ resources }) => new Set(resources.map((resource) => resource.kind)))
      .catch(() => new Set());
    served.set(apiVersion, kinds);
  }
  return (await kinds).has(kind);
}
