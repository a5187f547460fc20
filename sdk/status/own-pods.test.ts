import { expect, it } from "vitest";
import { observePod, observeReplicaSet, observeWorkload } from "./observed.ts";
import { ownPods } from "./own-pods.ts";

const labels = { app: "epp", "pod-template-hash": "h" };
const owner = (kind: string, name: string, uid: string) => [{ kind, name, uid, controller: true }];

const deployment = (replicas: number) =>
  observeWorkload({ metadata: { name: "epp", namespace: "n", uid: "d" }, spec: { replicas } });
const replicaSet = (fields: object = {}, selector: object = labels, replicas = 1) =>
  observeReplicaSet({
    metadata: {
      ...{ name: "epp-h", namespace: "n", uid: "r" },
      ownerReferences: owner("Deployment", "epp", "d"),
      ...fields,
    },
    spec: { replicas, selector: { matchLabels: selector } },
  });
const pod = (name: string, fields: object = {}, ready = "True") =>
  observePod({
    metadata: {
      ...{ name, namespace: "n", labels, creationTimestamp: "2026-01-01T00:00:00Z" },
      ownerReferences: owner("ReplicaSet", "epp-h", "r"),
      ...fields,
    },
    status: { conditions: [{ type: "Ready", status: ready }] },
  });

const own = (pods: ReturnType<typeof pod>[], set = replicaSet(), asksFor = deployment(2)) =>
  ownPods(pods, asksFor, (name) => (name === "epp-h" ? set : undefined)).map(({ name }) => name);

it("returns the oldest ready pods of the Deployment's ReplicaSet, up to its replicas", () => {
  const young = { creationTimestamp: "2026-01-02T00:00:00Z" };
  expect(own([pod("c", young), pod("b"), pod("a")])).toEqual(["a", "b"]);
  expect(own([pod("c", young), pod("b", {}, "False"), pod("a")])).toEqual(["a", "c"]);
  expect(own([pod("a", { deletionTimestamp: "2026-01-03T00:00:00Z" })])).toEqual([]);
});

it.each([
  ["no owner", { ownerReferences: [] }],
  ["an owner of another uid", { ownerReferences: owner("ReplicaSet", "epp-h", "x") }],
  ["an owner of another name", { ownerReferences: owner("ReplicaSet", "x", "r") }],
  ["an owner of another kind", { ownerReferences: owner("StatefulSet", "epp-h", "r") }],
  ["labels that the ReplicaSet does not select", { labels: { app: "epp" } }],
])("leaves out a pod with %s", (_what, fields) => {
  expect(own([pod("a", fields)])).toEqual([]);
});

it.each([
  ["of another Deployment", replicaSet({ ownerReferences: owner("Deployment", "x", "d") })],
  ["of an earlier Deployment", replicaSet({ ownerReferences: owner("Deployment", "epp", "x") })],
  ["without an owner", replicaSet({ ownerReferences: [] })],
  ["without a hash of its template", replicaSet({}, { app: "epp" })],
  ["without pods", replicaSet({}, labels, 0)],
])("leaves out pods of a ReplicaSet %s", (_what, set) => {
  expect(ownPods([pod("a")], deployment(2), () => set)).toEqual([]);
});

it("leaves out all pods if there is no Deployment", () => {
  expect(ownPods([pod("a")], undefined, () => replicaSet())).toEqual([]);
});
