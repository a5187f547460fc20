import { expect, it } from "vitest";
import { controllerOf, dispatchedNames, named } from "../../flow-control/controllers.fixture.ts";

it.each([
  ["fcfs-ordering-policy", ["none", "late", "soon", "unlimited"]],
  // The configured minute is the deadline of who says none, and of who says more.
  ["edf-ordering-policy", ["soon", "late", "none", "unlimited"]],
  ["slo-deadline-ordering-policy", ["late", "soon", "none", "unlimited"]],
])("%s", (type, expected) => {
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

it("the order by deadline puts those last that may wait for ever", () => {
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
