import { describe, expect, it } from "vitest";
import { label } from "../topology/names.ts";
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
  it("a pod that failed for a minute goes, and the status says so first", () => {
    expect(recycle(view({ failing: { p1: 60 } }))).toEqual({
      recycledPods: [{ name: "p1", uid: "uid-p1", time: now }],
      pod: pods[1],
      requeueAt: timeAt(60),
    });
  });

  it.each<[string, Given, string | undefined]>([
    ["of several the one that failed for longest", { failing: { p1: 60, p2: 80 } }, "p2"],
    ["a decoder as well as a prefiller", { failing: { d3: 90 } }, "d3"],
    ["none that failed for less", { failing: { p1: 59 } }, undefined],
    ["none where the service allows none", { podsPerHour: 0, failing: { p1: 90 } }, undefined],
    ["none by an old reading", { failing: { p1: 90 }, readAt: at(-3).getTime() }, undefined],
    [
      "none where nobody of the role works",
      { failing: { p0: 90, p1: 90, p2: 90, p3: 1 } },
      undefined,
    ],
    ["one of three that fail of four", { failing: { p0: 90, p1: 95, p2: 90 } }, "p1"],
    [
      "none that was made since it was seen to fail",
      { failing: { p1: 90 }, pods: with_({ created: timeAt(-1) }, "p1") },
      undefined,
    ],
    [
      "none that is not Ready: the kubelet sees to it",
      { failing: { p1: 90 }, pods: with_({ ready: false }, "p1") },
      undefined,
    ],
    [
      "none while another one goes",
      { failing: { p1: 90 }, pods: with_({ deleting: true }, "d1") },
      undefined,
    ],
    [
      "none while the last one is not back",
      {
        failing: { p1: 90 },
        before: [recycled("p2", -5)],
        pods: with_({ ready: false }, "p2"),
      },
      undefined,
    ],
    ["one when it is back", { failing: { p1: 90 }, before: [recycled("p2", -5)] }, "p1"],
    [
      "one although another pod cannot be placed",
      { failing: { p1: 90 }, pods: with_({ ready: false }, "d2") },
      "p1",
    ],
    [
      "none beyond the budget",
      { failing: { p1: 90 }, before: [recycled("p2", -59), recycled("p3", -5)] },
      undefined,
    ],
    [
      "one when an hour is over",
      { failing: { p1: 90 }, before: [recycled("p2", -60), recycled("p3", -5)] },
      "p1",
    ],
    [
      "the one that the status has and that is still there",
      { failing: { p1: 90 }, before: [recycled("p3", -1, "uid-p3")] },
      "p3",
    ],
  ])("is %s", (_, given, expected) => {
    expect(chosen(given)).toBe(expected);
  });

  it("is none before a picker has answered", () => {
    expect(recycle({ ...view({}), failing: undefined }).pod).toBeUndefined();
  });

  it("is not counted twice where it was not deleted at once", () => {
    const before = [recycled("p3", -1, "uid-p3")];
    expect(recycle(view({ before }))).toMatchObject({ recycledPods: before });
  });

  it("leaves the status after an hour, which is then looked at", () => {
    const before = [recycled("p2", -60), recycled("p3", -5)];
    expect(recycle(view({ before }))).toEqual({
      ...{ recycledPods: before.slice(1), pod: undefined, requeueAt: timeAt(55) },
    });
    expect(recycle(view({}))).toEqual({
      ...{ recycledPods: [], pod: undefined, requeueAt: undefined },
    });
  });
});
