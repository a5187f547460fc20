import { expect, it } from "vitest";
import { type OwnedObject, type OwnedPod, podsOfSets } from "./set-pods.ts";

const owner = (kind: string, name: string, uid: string) => [{ kind, name, uid, controller: true }];
const set: OwnedObject = { metadata: { name: "svc", uid: "lws" }, spec: { replicas: 2 } };
const leaders: OwnedObject = {
  metadata: { name: "svc", uid: "sts", ownerReferences: owner("LeaderWorkerSet", "svc", "lws") },
  spec: { replicas: 2 },
};
const workers: OwnedObject = {
  metadata: { name: "svc-0", uid: "sts-0", ownerReferences: owner("Pod", "svc-0", "pod-0") },
  spec: { replicas: 1, ordinals: { start: 1 } },
};

const crashed = { state: { waiting: { reason: "CrashLoopBackOff" } } };
const pod = (name: string, uid: string, ownerReferences: object[], fields: object = {}) =>
  ({
    metadata: { name, uid, ownerReferences, labels: {}, ...fields },
    status: { containerStatuses: [crashed] },
  }) as OwnedPod;
const leader = pod("svc-0", "pod-0", owner("StatefulSet", "svc", "sts"));

const own = (...pods: OwnedPod[]) => podsOfSets([leader, ...pods], [leaders, workers], [set]);
const namesOf = (...pods: OwnedPod[]) => own(...pods).map(({ name }) => name);

it("returns leaders and workers with their failures, and no failure of a pod that ends", () => {
  const ending = { deletionTimestamp: "2026-11-29T00:00:00Z" };
  const failure = expect.stringContaining("CrashLoopBackOff");
  expect(
    own(
      pod("svc-0-1", "w", owner("StatefulSet", "svc-0", "sts-0")),
      pod("svc-1", "pod-1", owner("StatefulSet", "svc", "sts"), ending),
    ),
  ).toEqual([
    { set: "svc", name: "svc-0", uid: "pod-0", serves: false, failure },
    { set: "svc", name: "svc-0-1", uid: "w", serves: false, failure },
    { set: "svc", name: "svc-1", uid: "pod-1", serves: false, failure: undefined },
  ]);
});

it.each([
  ["a ready leader", "True", "0", {}, true],
  ["a leader that is not ready", "False", "0", {}, false],
  ["a worker", "True", "1", {}, false],
  ["a leader that ends", "True", "0", { deletionTimestamp: "2026-11-29T00:00:00Z" }, false],
])("%s serves: %o %o", (_, ready, index, fields, serves) => {
  const labels = { "leaderworkerset.sigs.k8s.io/worker-index": index };
  const found = pod("svc-1", "pod-1", owner("StatefulSet", "svc", "sts"), { labels, ...fields });
  const status = { conditions: [{ type: "Ready", status: ready }] };
  expect(own({ ...found, status } as OwnedPod)[1]?.serves).toBe(serves);
});

it.each([
  ["no owner", pod("svc-1", "x", [])],
  ["an owner of another uid", pod("svc-1", "x", owner("StatefulSet", "svc", "other"))],
  ["an owner of another name", pod("svc-1", "x", owner("StatefulSet", "other", "sts"))],
  [
    "an owner that does not control it",
    pod("svc-1", "x", [{ kind: "StatefulSet", name: "svc", uid: "sts" }]),
  ],
  [
    "the owner of a set and a number beyond its replicas",
    pod("svc-2", "x", owner("StatefulSet", "svc", "sts")),
  ],
  [
    "the set as owner and a number beyond its replicas",
    pod("svc-2", "x", owner("LeaderWorkerSet", "svc", "lws")),
  ],
  [
    "the owner of workers and a number beyond them",
    pod("svc-0-2", "x", owner("StatefulSet", "svc-0", "sts-0")),
  ],
  [
    "the owner of a set and a name without a number",
    pod("svc-x", "x", owner("StatefulSet", "svc", "sts")),
  ],
  ["itself as owner", pod("svc-1", "x", owner("Pod", "svc-1", "x"))],
])("leaves out a pod with %s", (_, foreign) => {
  expect(namesOf(foreign)).toEqual(["svc-0"]);
});
