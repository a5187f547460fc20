import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type OwnedPod, podsOfSets } from "../../sdk/rollout/set-pods.ts";
import { lwsExample, readyPod } from "./lws-example.ts";
import { leaderPod, revisionOf, workerPod } from "./lws-pods.ts";

const lws = lwsExample({
  spec: { replicas: 2 },
  template: {
    size: 3,
    leaderTemplate: {
      metadata: { labels: { role: "leader" }, annotations: { note: "kept" } },
      spec: {
        initContainers: [{ name: "init" }],
        containers: [
          {
            name: "engine",
            env: [
              { name: "MODEL", value: "m" },
              { name: "LWS_GROUP_SIZE", value: "mine" },
            ],
          },
        ],
      },
    },
    workerTemplate: {
      metadata: { labels: { role: "worker" } },
      spec: { containers: [{ name: "w" }] },
    },
  },
});
const leader = leaderPod(lws, 1);
const worker = workerPod(lws, readyPod(leader), 2);

const lwsEnv = (index: number) => [
  { name: "LWS_LEADER_ADDRESS", value: "m-1.m.ns" },
  { name: "LWS_GROUP_SIZE", value: "3" },
  { name: "LWS_WORKER_INDEX", value: String(index) },
];
const groupKey = createHash("sha1").update("ns/m-1").digest("hex");

describe("pods of a LeaderWorkerSet", () => {
  it("a rollout finds the pods of a set", () => {
    const live = readyPod(leader);
    const pods = [live, readyPod(workerPod(lws, live, 2))];
    const found = podsOfSets(pods as OwnedPod[], [], [lws]);
    expect(found.map(({ name, serves }) => ({ name, serves }))).toEqual([
      { name: "m-1", serves: true },
      { name: "m-1-2", serves: false },
    ]);
  });

  it("a leader has the upstream name, labels and annotations", () => {
    expect(leader.metadata).toMatchObject({ name: "m-1", namespace: "ns" });
    expect(leader.metadata.labels).toEqual({
      role: "leader",
      "leaderworkerset.sigs.k8s.io/name": "m",
      "leaderworkerset.sigs.k8s.io/group-index": "1",
      "leaderworkerset.sigs.k8s.io/worker-index": "0",
      "leaderworkerset.sigs.k8s.io/group-key": groupKey,
      "leaderworkerset.sigs.k8s.io/template-revision-hash": revisionOf(lws),
    });
    expect(leader.metadata.annotations).toEqual({
      note: "kept",
      "leaderworkerset.sigs.k8s.io/size": "3",
    });
    expect(leader.metadata.ownerReferences?.[0]).toMatchObject({
      kind: "LeaderWorkerSet",
      name: "m",
    });
  });

  it("a worker has the upstream name, labels and annotations", () => {
    expect(worker.metadata.name).toBe("m-1-2");
    expect(worker.metadata.labels).toMatchObject({
      role: "worker",
      "leaderworkerset.sigs.k8s.io/group-index": "1",
      "leaderworkerset.sigs.k8s.io/worker-index": "2",
      "leaderworkerset.sigs.k8s.io/group-key": groupKey,
    });
    expect(worker.metadata.annotations).toMatchObject({
      "leaderworkerset.sigs.k8s.io/leader-name": "m-1",
    });
    expect(worker.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Pod", name: "m-1" });
  });

  it("containers have the variables of LeaderWorkerSet first, also init containers", () => {
    expect(leader.spec.containers[0]?.env).toEqual([...lwsEnv(0), { name: "MODEL", value: "m" }]);
    expect(leader.spec.initContainers?.[0]?.env).toEqual(lwsEnv(0));
    expect(worker.spec.containers[0]?.env).toEqual(lwsEnv(2));
  });

  it("host names belong to the shared Service, or to one Service per group", () => {
    expect(worker.spec).toMatchObject({ hostname: "m-1-2", subdomain: "m" });
    const apart = lwsExample({ spec: { networkConfig: { subdomainPolicy: "UniquePerReplica" } } });
    const pod = leaderPod(apart, 1);
    expect(pod.spec.subdomain).toBe("m-1");
    expect(pod.spec.containers[0]?.env?.[0]?.value).toBe("m-1.m-1.ns");
  });

  it("leaders use the worker template if the set has no leader template", () => {
    expect(leaderPod(lwsExample(), 0).spec.containers[0]?.name).toBe("engine");
  });

  it("the revision depends on the template and not on the replicas", () => {
    const base = lwsExample();
    const scaled = lwsExample({ spec: { replicas: 9 } });
    const resized = lwsExample({ template: { size: 2 } });
    expect(revisionOf(scaled)).toBe(revisionOf(base));
    expect(revisionOf(resized)).not.toBe(revisionOf(base));
  });
});
