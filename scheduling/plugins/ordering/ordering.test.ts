import { expect, it } from "vitest";
import { controllerOf, dispatchedNames, named } from "../../flow-control/controllers.fixture.ts";

it.each([
  ["fcfs-ordering-policy", ["none", "late", "soon", "unlimited"]],
  // The configured minute is the deadline of requests that set none or a later one.
  ["edf-ordering-policy", ["soon", "late", "none", "unlimited"]],
  ["slo-deadline-ordering-policy", ["late", "soon", "none", "unlimited"]],
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
