import { describe, expect, it } from "vitest";
import {
  deleted,
  groupPods,
  lwsExample,
  notReady,
  pending,
  readyPod,
  restarted,
  withPod,
} from "./lws-example.ts";
import { groupChanges } from "./lws-groups.ts";
import { leaderPod } from "./lws-pods.ts";
import type { LeaderWorkerSet, Pod } from "./objects.ts";

const two = lwsExample({ spec: { replicas: 2 }, template: { size: 2 } });

function changes(lws: LeaderWorkerSet, pods: readonly Pod[]) {
  const { create, remove } = groupChanges(lws, pods);
  return {
    create: create.map(({ metadata }) => metadata.name),
    remove: remove.map(({ metadata }) => metadata.name),
  };
}

const nothing = { create: [], remove: [] };

describe("start", () => {
  it("makes the leaders, then each leader's workers", () => {
    expect(changes(two, [])).toEqual({ create: ["m-0", "m-1"], remove: [] });
    const leaders = [0, 1].map((group) => notReady(readyPod(leaderPod(two, group))));
    expect(changes(two, leaders)).toEqual({ create: ["m-0-1", "m-1-1"], remove: [] });
    expect(changes(two, groupPods(two, [0, 1]))).toEqual(nothing);
  });

  it("waits for ready leaders under LeaderReady", () => {
    const lws = lwsExample({ spec: { startupPolicy: "LeaderReady" }, template: { size: 2 } });
    const leader = readyPod(leaderPod(lws, 0));
    expect(changes(lws, [notReady(leader)])).toEqual(nothing);
    expect(changes(lws, [leader])).toEqual({ create: ["m-0-1"], remove: [] });
  });

  it("waits while a worker of an earlier leader holds the name", () => {
    const leader = readyPod(leaderPod(two, 0));
    const [, worker] = groupPods(two, [0]);
    const one = { ...two, spec: { ...two.spec, replicas: 1 } };
    expect(changes(one, [leader, worker as Pod])).toEqual(nothing);
  });
});

describe("scale", () => {
  it("adds and removes groups at the upper end", () => {
    const pods = groupPods(two, [0, 1]);
    const three = { ...two, spec: { ...two.spec, replicas: 3 } };
    expect(changes(three, pods)).toEqual({ create: ["m-2"], remove: [] });
    const one = { ...two, spec: { ...two.spec, replicas: 1 } };
    expect(changes(one, pods)).toEqual({ create: [], remove: ["m-1"] });
    const none = { ...two, spec: { ...two.spec, replicas: 0 } };
    expect(changes(none, pods)).toEqual({ create: [], remove: ["m-0", "m-1"] });
  });
});

describe("group recreation", () => {
  const policy = (
    restartPolicy: LeaderWorkerSet["spec"]["leaderWorkerTemplate"]["restartPolicy"],
  ) => lwsExample({ spec: { replicas: 2 }, template: { size: 2, restartPolicy } });
  const broken = (lws: LeaderWorkerSet, change: (pod: Pod) => Pod) =>
    withPod(groupPods(lws, [0, 1]), "m-1-1", change);

  it.each([
    ["a restarted container", restarted],
    ["a deleted pod", deleted],
  ])("follows %s under RecreateGroupOnPodRestart", (_what, change) => {
    const lws = policy("RecreateGroupOnPodRestart");
    expect(changes(lws, broken(lws, change))).toEqual({ create: [], remove: ["m-1"] });
  });

  it("deletes a leader only once", () => {
    const lws = policy("RecreateGroupOnPodRestart");
    const pods = withPod(broken(lws, deleted), "m-1", deleted);
    expect(changes(lws, pods)).toEqual(nothing);
  });

  it("waits under RecreateGroupAfterStart until the group has started", () => {
    const lws = policy("RecreateGroupAfterStart");
    const pods = broken(lws, restarted);
    expect(changes(lws, withPod(pods, "m-1", pending))).toEqual(nothing);
    expect(changes(lws, pods)).toEqual({ create: [], remove: ["m-1"] });
  });

  it("does not happen under None: only a missing worker is created again", () => {
    const lws = policy("None");
    const pods = groupPods(lws, [0, 1]);
    expect(changes(lws, withPod(pods, "m-1-1", restarted))).toEqual(nothing);
    const without = pods.filter(({ metadata }) => metadata.name !== "m-1-1");
    expect(changes(lws, without)).toEqual({ create: ["m-1-1"], remove: [] });
  });
});

describe("rolling update", () => {
  const before = lwsExample({ spec: { replicas: 3 }, template: { size: 2 } });
  const image = { spec: { containers: [{ name: "engine", image: "new" }] } };
  const after: LeaderWorkerSet = {
    ...before,
    spec: {
      ...before.spec,
      leaderWorkerTemplate: { ...before.spec.leaderWorkerTemplate, workerTemplate: image },
    },
  };

  it("takes the highest group first", () => {
    expect(changes(after, groupPods(before, [0, 1, 2]))).toEqual({ create: [], remove: ["m-2"] });
  });

  it("takes the next group only when the updated one is ready", () => {
    const pods = [...groupPods(before, [0, 1]), ...groupPods(after, [2])];
    expect(changes(after, withPod(pods, "m-2", notReady))).toEqual(nothing);
    expect(changes(after, pods)).toEqual({ create: [], remove: ["m-1"] });
  });

  it("leaves the groups below the partition", () => {
    const partitioned: LeaderWorkerSet = {
      ...after,
      spec: {
        ...after.spec,
        rolloutStrategy: {
          rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 2 },
        },
      },
    };
    const pods = [...groupPods(before, [0, 1]), ...groupPods(after, [2])];
    expect(changes(partitioned, pods)).toEqual(nothing);
  });
});
