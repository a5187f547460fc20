import { describe, expect, it } from "vitest";
import { type HpaRule, type HpaState, proposedReplicas, syncHpa } from "./hpa.ts";
import { Keda } from "./keda.ts";

/** Tables that were computed by hand from the Go source. */

describe("proposedReplicas()", () => {
  it.each([
    ["keeps the number at 10 % above the target", 22, 2, 10],
    ["keeps the number at 10 % below the target", 18, 2, 10],
    ["rounds up above the tolerance", 22.1, 2, 12],
    ["scales down below the tolerance", 17.9, 2, 9],
    ["keeps 10 replicas if 11 are desired", 11, 1, 10],
    ["returns 0 without load", 0, 5, 0],
  ] as const)("%s", (_, metric, target, replicas) => {
    expect(proposedReplicas(metric, target, 10)).toBe(replicas);
  });
});

const rule: HpaRule = { target: 1, min: 1, max: 20, scaleDownSeconds: 60 };

/** Returns the replicas after each sync, one every 15 s. */
function replicasOf(first: number, metrics: readonly number[], of: HpaRule = rule): number[] {
  let state: HpaState | undefined;
  let current = first;
  return metrics.map((metric, at) => {
    const sync = syncHpa(state, { now: 15 * at, current, metric }, of);
    ({ replicas: current, state } = sync);
    return current;
  });
}

describe("syncHpa()", () => {
  it("adds four replicas or doubles them per period, whichever is more", () => {
    expect(replicasOf(1, [20, 20, 20, 20])).toEqual([5, 10, 20, 20]);
  });

  it("limits the replicas of one period over all its syncs", () => {
    const first = syncHpa(undefined, { now: 0, current: 1, metric: 20 }, rule);
    expect(syncHpa(first.state, { now: 5, current: 5, metric: 20 }, rule).replicas).toBe(5);
    expect(syncHpa(first.state, { now: 15, current: 5, metric: 20 }, rule).replicas).toBe(10);
  });

  it("scales down to the largest number of the stabilization window", () => {
    // 6 was recommended at 0 s and leaves the window of 60 s at 60 s; 4 leaves it at 75 s.
    expect(replicasOf(6, [6, 4, 2, 2, 2, 2, 2])).toEqual([6, 6, 6, 6, 4, 2, 2]);
  });

  it("keeps the replicas at the start, because their number is the first recommendation", () => {
    expect(replicasOf(5, [1, 1, 1, 1, 1])).toEqual([5, 5, 5, 5, 1]);
  });

  it("stays between min and max", () => {
    expect(replicasOf(3, [99], { ...rule, max: 4 })).toEqual([4]);
    expect(replicasOf(3, [0], { ...rule, min: 2, scaleDownSeconds: 0 })).toEqual([2]);
  });
});

describe("Keda", () => {
  const keda = () => new Keda({ ...rule, min: 0, scaleDownSeconds: 60 });

  it("starts one replica, and leaves the others to the HPA", () => {
    const scaler = keda();
    expect(scaler.poll({ now: 0, current: 0, metric: 3 })).toBe(1);
    expect(scaler.poll({ now: 5, current: 1, metric: 3 })).toBe(1);
    expect(scaler.sync({ now: 15, current: 1, metric: 3 })).toBe(3);
  });

  it("stops the last replicas after the cooldown period without load", () => {
    const scaler = keda();
    scaler.poll({ now: 0, current: 1, metric: 1 });
    expect(scaler.poll({ now: 60, current: 1, metric: 0 })).toBe(1);
    expect(scaler.poll({ now: 65, current: 1, metric: 0 })).toBe(0);
    expect(scaler.sync({ now: 75, current: 0, metric: 0 })).toBe(0);
  });

  it("keeps one replica above zero in the HPA", () => {
    const scaler = keda();
    expect(scaler.sync({ now: 0, current: 1, metric: 0 })).toBe(1);
  });
});
