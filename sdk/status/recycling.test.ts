import { describe, expect, it } from "vitest";
import { label } from "../names.ts";
import type { ObservedPod } from "./observed.ts";
import { type RecycleView, recycle } from "./recycling.ts";

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));
const timeAt = (minutes: number) => `${at(minutes).toISOString().slice(0, 19)}Z`;
const now = timeAt(0);

const pod = (name: string, change: Partial<ObservedPod> = {}): ObservedPod => ({
  ...{ namespace: "ns", name, uid: `uid-${name}`, created: timeAt(-600) },
  ...{ ready: true, scheduled: true, deleting: false, address: "10.0.0.1" },
  ...{ failure: undefined, unschedulable: undefined },
  labels: name.startsWith("p")
    ? { [label.componentType]: "prefiller", [label.roleName]: "prefill" }
    : { [label.componentType]: "decoder", [label.roleName]: "decode" },
  ...change,
});

const names = ["p0", "p1", "p2", "p3", "d0", "d1", "d2", "d3"];
const pods = names.map((name) => pod(name));

interface Given extends Partial<Omit<RecycleView, "failing">> {
  readonly failing?: Readonly<Record<string, number>>;
  readonly readAt?: number;
}

function view({ failing = {}, readAt = at(0).getTime(), ...given }: Given): RecycleView {
  const seconds = new Map(names.map((name) => [`ns/${name}`, failing[name] ?? 0]));
  return { podsPerHour: 2, pods, before: [], now, failing: { seconds, readAt }, ...given };
}

const chosen = (given: Given) => recycle(view(given)).pod?.name;
const recycled = (name: string, minutes: number, uid = `old-${name}`) => ({
  ...{ name, uid, time: timeAt(minutes) },
});
const with_ = (change: Partial<ObservedPod>, name: string) =>
  pods.map((each) => (each.name === name ? { ...each, ...change } : each));

describe("a pod that is recycled", () => {
  it("has failed for a minute, and is listed in the status before its deletion", () => {
    expect(recycle(view({ failing: { p1: 60 } }))).toEqual({
      recycledPods: [{ name: "p1", uid: "uid-p1", time: now }],
      pod: pods[1],
      requeueAt: timeAt(60),
    });
  });

  it.each<[string, Given, string | undefined]>([
    ["the one that has failed longest", { failing: { p1: 60, p2: 80 } }, "p2"],
    ["a decoder as well as a prefiller", { failing: { d3: 90 } }, "d3"],
    ["none that has failed for less than a minute", { failing: { p1: 59 } }, undefined],
    ["none if the service does not allow it", { podsPerHour: 0, failing: { p1: 90 } }, undefined],
    ["none if the reading is old", { failing: { p1: 90 }, readAt: at(-3).getTime() }, undefined],
    ["none if no pod of the role works", { failing: { p0: 90, p1: 90, p2: 90, p3: 1 } }, undefined],
    ["one if three of four fail", { failing: { p0: 90, p1: 95, p2: 90 } }, "p1"],
    [
      "none that was created after the failures began",
      { failing: { p1: 90 }, pods: with_({ created: timeAt(-1) }, "p1") },
      undefined,
    ],
    [
      "none that is not Ready, because the kubelet handles it",
      { failing: { p1: 90 }, pods: with_({ ready: false }, "p1") },
      undefined,
    ],
    [
      "none while another pod is being deleted",
      { failing: { p1: 90 }, pods: with_({ deleting: true }, "d1") },
      undefined,
    ],
    [
      "none until the replacement of the last one is Ready",
      {
        failing: { p1: 90 },
        before: [recycled("p2", -5)],
        pods: with_({ ready: false }, "p2"),
      },
      undefined,
    ],
    [
      "one when the replacement of the last one is Ready",
      { failing: { p1: 90 }, before: [recycled("p2", -5)] },
      "p1",
    ],
    [
      "one even if another pod cannot be scheduled",
      { failing: { p1: 90 }, pods: with_({ ready: false }, "d2") },
      "p1",
    ],
    [
      "none beyond the budget",
      { failing: { p1: 90 }, before: [recycled("p2", -59), recycled("p3", -5)] },
      undefined,
    ],
    [
      "one when an hour has passed",
      { failing: { p1: 90 }, before: [recycled("p2", -60), recycled("p3", -5)] },
      "p1",
    ],
    [
      "the one in the status that still exists",
      { failing: { p1: 90 }, before: [recycled("p3", -1, "uid-p3")] },
      "p3",
    ],
  ])("is %s", (_, given, expected) => {
    expect(chosen(given)).toBe(expected);
  });

  it("is none before a picker has responded", () => {
    expect(recycle({ ...view({}), failing: undefined }).pod).toBeUndefined();
  });

  it("is not counted twice if its deletion is delayed", () => {
    const before = [recycled("p3", -1, "uid-p3")];
    expect(recycle(view({ before }))).toMatchObject({ recycledPods: before });
  });

  it("leaves the status after an hour, at the time in requeueAt", () => {
    const before = [recycled("p2", -60), recycled("p3", -5)];
    expect(recycle(view({ before }))).toEqual({
      ...{ recycledPods: before.slice(1), pod: undefined, requeueAt: timeAt(55) },
    });
    expect(recycle(view({}))).toEqual({
      ...{ recycledPods: [], pod: undefined, requeueAt: undefined },
    });
  });
});
