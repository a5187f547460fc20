import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MultiClusterInferenceService, type MultiClusterInferenceServiceArgs } from "../index.ts";

/** Registered resources with their providers, by logical name. */
let registered = new Map<
  string,
  { type: string; provider: string | undefined; inputs: Record<string, never> }
>();

beforeEach(async () => {
  registered = new Map();
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs, provider }) => {
      registered.set(name, { type, inputs, provider });
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
});
afterEach(() => pulumi.runtime.disconnect());

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));

const worker = {
  name: "w",
  componentType: "worker" as const,
  template: { spec: { containers: [{ name: "vllm", image: "vllm" }] } },
};
const router = { name: "router", componentType: "router" as const };
const clusters = () =>
  ["east", "west"].map((name) => ({
    name,
    provider: new k8s.Provider(name, { kubeconfig: name }),
  })) as [
    MultiClusterInferenceServiceArgs["clusters"][number],
    MultiClusterInferenceServiceArgs["clusters"][number],
  ];

describe("a service in several clusters", () => {
  it("creates in each cluster a service with an exported pool, and a route over all pools", async () => {
    const [east, west] = clusters();
    const service = new MultiClusterInferenceService("ds", {
      metadata: { namespace: "prod" },
      roles: [worker, router],
      clusters: [east, { ...west, replicas: { w: 3 } }],
      route: {
        picker: {},
        local: { weight: 9 },
        parentRefs: [{ name: "gw" }],
      },
    });
    const { services, routes } = service.nodes;
    await Promise.all(
      ["east", "west"].flatMap((name) =>
        [
          services[name]?.nodes.pool,
          services[name]?.nodes.workloads[0],
          routes[name]?.nodes.route,
        ].map((resource) => known((resource as pulumi.Resource).urn)),
      ),
    );
    for (const name of ["east", "west"]) {
      const pool = registered.get(`ds-${name}-inferencepool-pool`);
      expect(pool?.provider).toContain(`::${name}::`);
      expect(pool?.inputs).toMatchObject({
        metadata: {
          name: "ds-pool",
          namespace: "prod",
          annotations: {
            "inference.networking.x-k8s.io/export": "ClusterSet",
            "inference.networking.x-k8s.io/export-mode": "EndpointMode",
          },
        },
      });
      expect(registered.get(`ds-${name}-route-httproute-import`)?.inputs).toMatchObject({
        metadata: { name: "ds-pool-import" },
        spec: {
          rules: [
            // Requests that another cluster forwarded.
            { backendRefs: [{ kind: "InferencePool", name: "ds-pool" }] },
            {
              backendRefs: [
                { kind: "InferencePool", name: "ds-pool", weight: 9 },
                { kind: "InferencePool", name: "ds-pool-import", weight: 1 },
              ],
            },
          ],
        },
      });
    }
    const specOf = (name: string): unknown =>
      registered.get(`ds-${name}-leaderworkerset-w`)?.inputs.spec;
    expect([specOf("east"), specOf("west")]).toMatchObject([{ replicas: 1 }, { replicas: 3 }]);
  });

  it.each([
    ["one cluster", () => clusters().slice(0, 1), [worker, router], "clusters: has 1 entry"],
    [
      "a cluster twice",
      () => clusters().map((cluster) => ({ ...cluster, name: "east" })),
      [worker, router],
      "clusters: names east twice",
    ],
    [
      "a name that is none",
      () => clusters().map((cluster) => ({ ...cluster, name: `${cluster.name}!` })),
      [worker, router],
      'clusters: a cluster is named "east!"',
    ],
    [
      "replicas of an unknown role",
      () => clusters().map((cluster) => ({ ...cluster, replicas: { x: 1 } })),
      [worker, router],
      "clusters: replicas name the role x",
    ],
    ["no router", clusters, [worker], "roles: has no router"],
  ])("is refused with %s", (_, made, roles, message) => {
    expect(() => new MultiClusterInferenceService("ds", { roles, clusters: made() })).toThrow(
      message,
    );
  });
});
