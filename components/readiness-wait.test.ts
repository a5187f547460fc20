import { apiextensions } from "@pulumi/kubernetes";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../kubernetes/api/patch-types.ts";
import { kinds } from "../kubernetes/kinds/index.ts";
import { groupsReady } from "../kubernetes/kinds/leader-worker-set.ts";
import { type AttachedCluster, freshNamespace } from "../testing/api/cluster.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { objectPath } from "../testing/object-path.ts";
import { openStack } from "../testing/programs/pulumi-stack.ts";
import { providerAnnotation } from "./readiness.ts";

/** Conditions that the Kubernetes provider reads from the annotations of this package. */

let cluster: AttachedCluster;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
  namespace = await freshNamespace(cluster, "wait");
});
afterAll(() => cluster?.detach());

/** Status that an object gets once it exists; undefined leaves it as it is. */
type Case = readonly [name: string, status: object | undefined];

const ofGroups = (replicas: number, readyReplicas: number, updatedReplicas: number) => ({
  ...{ replicas, readyReplicas, updatedReplicas, conditions: [] },
});
const groups: readonly Case[] = [
  ["minimum-runs-current-template", ofGroups(3, 2, 3)],
  ["everything-is-ready", ofGroups(3, 3, 3)],
  ["fewer-are-ready", ofGroups(3, 1, 3)],
  ["ready-groups-run-old-template", ofGroups(3, 2, 1)],
  ["groups-without-status", undefined],
];

const ofRoute = (accepted: string, resolved: string) => ({
  parents: [
    {
      parentRef: { name: "gateway" },
      controllerName: "example.com/gateway",
      conditions: [condition("Accepted", accepted), condition("ResolvedRefs", resolved)],
    },
  ],
});
const condition = (type: string, status: string) => ({
  ...{ type, status, reason: type, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
});
const routes: readonly Case[] = [
  ["accepted-with-pool", ofRoute("True", "True")],
  ["accepted-without-pool", ofRoute("True", "False")],
  ["refused", ofRoute("False", "True")],
  ["route-without-status", undefined],
];

const template = { spec: { containers: [{ name: "vllm", image: "vllm" }] } };
const specs = {
  LeaderWorkerSet: { replicas: 3, leaderWorkerTemplate: { size: 1, workerTemplate: template } },
  HTTPRoute: { parentRefs: [{ name: "gateway" }] },
};
const waitFor = {
  LeaderWorkerSet: groupsReady(2),
  HTTPRoute: kinds.HTTPRoute.readiness.waitFor,
};

const object = (kind: keyof typeof specs, name: string) => ({
  ...{ apiVersion: kinds[kind].apiVersion, kind, spec: specs[kind] },
  metadata: {
    ...{ name, namespace },
    annotations: {
      [providerAnnotation.waitFor]: waitFor[kind],
      "pulumi.com/timeoutSeconds": "10",
    },
  },
});

it("waits for the minimum of groups of the current template, and for a route that is accepted and has its pool", async () => {
  const all = [
    ...groups.map(([name, status]) => ({ manifest: object("LeaderWorkerSet", name), status })),
    ...routes.map(([name, status]) => ({ manifest: object("HTTPRoute", name), status })),
  ];
  const stack = openStack({
    ...{ project: "p", stack: "wait", kubernetes: { kubeconfig: cluster.kubeconfig } },
    program: {
      run: async () => {
        for (const { manifest } of all)
          new apiextensions.CustomResource(manifest.metadata.name, manifest);
      },
    },
  });
  const up = stack.up();
  for (const { manifest, status } of all) {
    if (status === undefined) continue;
    const path = objectPath(manifest);
    await expect.poll(() => cluster.request("GET", path).catch(() => undefined)).toBeDefined();
    await cluster.request("PATCH", `${path}/status`, { status }, mergePatchType);
  }
  const { steps } = await up;
  const names = (failed: boolean) =>
    steps
      .filter((step) => step.custom && (step.failed ?? false) === failed)
      .map(({ name }) => name)
      .sort();
  expect({ ready: names(false), waiting: names(true) }).toEqual({
    ready: ["accepted-with-pool", "everything-is-ready", "minimum-runs-current-template"],
    waiting: [
      "accepted-without-pool",
      "fewer-are-ready",
      "groups-without-status",
      "ready-groups-run-old-template",
      "refused",
      "route-without-status",
    ],
  });
}, 60_000);
