import { expect, it } from "vitest";
import { controllerOf, dispatchedNames, named } from "./controllers.fixture.ts";

/** Time of queued requests by reason, as `controller.queues` reports it. */

const none = { no_endpoint: 0, no_slot: 0, preferred_endpoint: 0, working_set: 0, order: 0 };

it("a request waits for a slot while all endpoints are full", () => {
  const controller = controllerOf();
  for (const name of ["a", "b"]) controller.arrive(named(name), 0);
  dispatchedNames(controller, { slots: 0 }, 0);
  dispatchedNames(controller, { slots: 1 }, 2_000);
  expect(controller.queues(5_000).waitedSeconds).toEqual({ ...none, no_slot: 2 * 2 + 3 });
});

it("a request that leaves a free slot to others waits for its preferred endpoint, until it takes the slot", () => {
  const controller = controllerOf();
  for (const name of ["a", "b"]) controller.arrive(named(name), 0);
  const takes = ({ name }: { name: string }) => name === "b";
  expect(dispatchedNames(controller, { slots: 2, takes }, 0)).toEqual(["b"]);
  expect(dispatchedNames(controller, { slots: 1 }, 4_000)).toEqual(["a"]);
  expect(controller.queues(9_000).waitedSeconds).toEqual({ ...none, preferred_endpoint: 4 });
});

it("a held request waits for the working set, and one that is not held any more for its preferred endpoint", () => {
  const controller = controllerOf();
  const held = { ...named("a"), isHeldNow: true };
  controller.arrive(held, 0);
  const takes = () => false;
  dispatchedNames(controller, { slots: 2, takes }, 0);
  held.isHeldNow = false;
  dispatchedNames(controller, { slots: 2, takes }, 3_000);
  expect(controller.queues(4_000).waitedSeconds).toEqual({
    ...none,
    working_set: 3,
    preferred_endpoint: 1,
  });
});

it("a request of a closed band waits by order although a slot is free", () => {
  const controller = controllerOf(`
plugins: [{type: static-usage-limit-policy, parameters: {threshold: 0.5}}]
flowControl: {usageLimitPolicyPluginRef: static-usage-limit-policy}
`);
  controller.arrive(named("a", { priority: -1 }), 0);
  expect(dispatchedNames(controller, { slots: 3, saturation: 0.9 }, 0)).toEqual([]);
  expect(controller.queues(2_000).waitedSeconds).toEqual({ ...none, order: 2 });
});

it("a request waits for an endpoint while the pool is empty, and for a slot afterwards", () => {
  const controller = controllerOf();
  controller.poolChanged(false, 0);
  controller.arrive(named("a"), 1_000);
  dispatchedNames(controller, {}, 1_000);
  controller.poolChanged(true, 3_000);
  dispatchedNames(controller, { slots: 0 }, 3_000);
  expect(controller.queues(4_000).waitedSeconds).toEqual({ ...none, no_endpoint: 2, no_slot: 1 });
});

it("a cancelled request stops waiting", () => {
  const controller = controllerOf();
  const { ticket } = controller.arrive(named("a"), 0);
  dispatchedNames(controller, { slots: 0 }, 0);
  if (ticket !== undefined) controller.cancel(ticket, 1_000);
  expect(controller.queues(9_000).waitedSeconds).toEqual({ ...none, no_slot: 1 });
});
