import { describe, expect, it } from "vitest";
import { groupPods, lwsExample, notReady, withPod } from "./lws-example.ts";
import { lwsStatus } from "./lws-status.ts";
import type { LeaderWorkerSet, Pod } from "./objects.ts";

const lws = lwsExample({ spec: { replicas: 2 }, template: { size: 2 } });
const now = "2026-01-01T00:00:00Z";

function summary(set: LeaderWorkerSet, pods: readonly Pod[]) {
  const { replicas, readyReplicas, updatedReplicas, conditions = [] } = lwsStatus(set, pods, now);
  const holding = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  return { replicas, readyReplicas, updatedReplicas, holding };
}

describe("lwsStatus", () => {
  it("counts groups, not pods, and a group only when all its pods are ready", () => {
    const pods = groupPods(lws, [0, 1]);
    expect(summary(lws, [])).toEqual({
      replicas: 0,
      readyReplicas: 0,
      updatedReplicas: 0,
      holding: ["Progressing"],
    });
    expect(summary(lws, withPod(pods, "m-1-1", notReady))).toEqual({
      replicas: 2,
      readyReplicas: 1,
      updatedReplicas: 2,
      holding: ["Progressing"],
    });
    expect(summary(lws, pods)).toEqual({
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 2,
      holding: ["Available"],
    });
  });

  it("reports an update that is in progress", () => {
    const older = lwsExample({
      spec: { replicas: 2 },
      template: {
        size: 2,
        workerTemplate: { spec: { containers: [{ name: "engine", image: "old" }] } },
      },
    });
    const pods = [...groupPods(older, [0]), ...groupPods(lws, [1])];
    expect(summary(lws, pods)).toMatchObject({
      updatedReplicas: 1,
      holding: ["Progressing", "UpdateInProgress"],
    });
  });

  it("sets excluded conditions to False, and keeps the time of unchanged conditions", () => {
    const pods = groupPods(lws, [0, 1]);
    const starting = { ...lws, status: lwsStatus(lws, [], now) };
    const later = "2026-01-01T00:01:00Z";
    const available = { ...lws, status: lwsStatus(starting, pods, later) };
    expect(available.status.conditions).toMatchObject([
      { type: "Available", status: "True", lastTransitionTime: later },
      { type: "Progressing", status: "False", lastTransitionTime: later },
    ]);
    expect(lwsStatus(available, pods, "2026-01-01T00:02:00Z")).toEqual(available.status);
  });

  it("selects leaders for autoscaling", () => {
    expect(lwsStatus(lws, [], now).hpaPodSelector).toBe(
      "leaderworkerset.sigs.k8s.io/name=m,leaderworkerset.sigs.k8s.io/worker-index=0",
    );
  });
});
