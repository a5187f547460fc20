import { describe, expect, it } from "vitest";
import { controllerOf, dispatchedNames, named } from "../../flow-control/controllers.fixture.ts";

it.each([
  ["fcfs-ordering-policy", ["none", "late", "soon", "unlimited"]],
  // The configured minute is the deadline of requests that set none or a later one.
  ["edf-ordering-policy", ["soon", "none", "late", "unlimited"]],
  ["slo-deadline-ordering-policy", ["late", "none", "soon", "unlimited"]],
])("%s dispatches in the order %j", (type, expected) => {
  const controller = controllerOf(`
plugins: [{type: ${type}}]
flowControl: {defaultPriorityBand: {orderingPolicyRef: ${type}}}
`);
  controller.arrive(named("none"), 0);
  controller.arrive(named("late", { ttl: 9_000, firstTokenWithin: 100, receivedAt: 0 }), 1);
  controller.arrive(named("soon", { ttl: 8_000, firstTokenWithin: 100, receivedAt: 1 }), 2);
  controller.arrive(named("unlimited", { ttl: 1e9 }), 3);
  expect(dispatchedNames(controller)).toEqual(expected);
});

it("edf-ordering-policy dispatches requests without a deadline last", () => {
  const controller = controllerOf(`
plugins: [{type: edf-ordering-policy}]
flowControl:
  defaultRequestTTL: 0s
  defaultPriorityBand: {orderingPolicyRef: edf-ordering-policy}
`);
  controller.arrive(named("a"), 0);
  controller.arrive(named("b"), 1);
  controller.arrive(named("c", { ttl: 1_000 }), 2);
  expect(dispatchedNames(controller)).toEqual(["c", "a", "b"]);
});

const fairness = [
  "global-strict-fairness-policy",
  "round-robin-fairness-policy",
  "weighted-fairness-policy",
];
/** Later requests that pass earlier ones by their deadlines, by policy. */
const eager = {
  "edf-ordering-policy": { ttl: 1_000 },
  "slo-deadline-ordering-policy": { firstTokenWithin: 1 },
};

describe.each(Object.entries(eager))("%s", (type, deadline) => {
  const positions = (fair: string, flowOf: (at: number) => string, oldestShare?: number) => {
    const parameters = JSON.stringify(oldestShare === undefined ? {} : { oldestShare });
    const controller = controllerOf(`
plugins: [{type: ${fair}}, {type: ${type}, parameters: ${parameters}}]
flowControl: {defaultPriorityBand: {orderingPolicyRef: ${type}, fairnessPolicyRef: ${fair}}}
`);
    for (let at = 0; at < 20; at += 1) controller.arrive(named(`waiting-${at}`), at);
    for (let at = 0; at < 1_500; at += 1)
      controller.arrive(
        named(`later-${at}`, { ...deadline, flow: flowOf(at), receivedAt: 20 + at }),
        20 + at,
      );
    const names = dispatchedNames(controller, { slots: 2_000 }, 2_000);
    return names.flatMap((name, at) => (name.startsWith("waiting") ? at + 1 : []));
  };

  it.each(fairness)(
    "dispatches 20 waiting requests within 40 turns before 1,500 later ones with deadlines, by %s",
    (fair) => {
      expect(positions(fair, () => "f").at(-1)).toBe(40);
    },
  );

  it("dispatches them within 40 turns if the later ones are of 1,500 flows that fairness ignores", () => {
    expect(positions("global-strict-fairness-policy", (at) => `f${at}`).at(-1)).toBe(40);
  });

  it("dispatches them within 80 turns if a quarter of the turns is for the oldest request", () => {
    expect(positions("weighted-fairness-policy", () => "f", 0.25).at(-1)).toBe(80);
  });

  it("dispatches them last if no turn is for the oldest request", () => {
    expect(positions("weighted-fairness-policy", () => "f", 0).at(-1)).toBe(1_520);
  });
});
