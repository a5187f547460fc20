import { describe, expect, it } from "vitest";
import { controllerOf, dispatchedNames, type Named, named, room } from "./controllers.fixture.ts";
import type { FlowController } from "./flow-controller.ts";
import type { Ticket } from "./flow-request.ts";
import { evictionError } from "./outcomes.ts";

const evicting = (detector = "concurrency-detector") =>
  controllerOf(`
plugins: [{type: ${detector}}]
flowControl:
  enableEviction: true
  saturationDetector: {pluginRef: ${detector}}
`);

/** Requests that are on their way, by name. */
function send(controller: FlowController<Named>, requests: readonly Named[], now = 0) {
  for (const request of requests) controller.arrive(request, now);
  return new Map(
    controller.dispatch(now, room()).map((ticket) => [ticket.request.name, ticket] as const),
  );
}

const sheddable = (name: string, priority = -1) => named(name, { priority });

/** Who is cut off at a moment, after a dispatch that found the pool as full as this. */
function victims(controller: FlowController<Named>, saturation: number, now = 0): string[] {
  expect(dispatchedNames(controller, { saturation }, now)).toEqual([]);
  return controller.evict(now).map(({ request }) => request.name);
}

describe("eviction", () => {
  it("cuts off the newest requests of the lowest priority", () => {
    const controller = evicting();
    send(controller, [sheddable("a", -1), sheddable("b", -2), sheddable("c", -2), named("d")]);
    controller.arrive(named("waits"), 0);
    expect(victims(controller, 4)).toEqual(["c", "b"]);
  });

  it.each([
    ["one at the ceiling", 1, ["d"]],
    // Four requests make 1.2; each frees 0.3.
    ["as many as are beyond it", 1.2, ["d"]],
    ["two where one is not enough", 1.5, ["d", "c"]],
    ["never more than two", 4, ["d", "c"]],
  ])("cuts off %s", (_, saturation, expected) => {
    const controller = evicting();
    send(
      controller,
      ["a", "b", "c", "d"].map((name) => sheddable(name)),
    );
    controller.arrive(named("waits"), 0);
    expect(victims(controller, saturation)).toEqual(expected);
  });

  it.each([
    ["nothing waits", []],
    ["only requests wait that are no more important", [sheddable("waits")]],
  ])("cuts off none where %s", (_, waiting) => {
    const controller = evicting();
    send(controller, [sheddable("a")]);
    for (const request of waiting) controller.arrive(request, 0);
    expect(victims(controller, 2)).toEqual([]);
  });

  it("cuts off sheddable requests only, and none if it is not asked for", () => {
    const controller = evicting();
    send(controller, [named("a")]);
    controller.arrive(named("waits", { priority: 9 }), 0);
    expect(victims(controller, 2)).toEqual([]);
    const without = controllerOf();
    send(without, [sheddable("a")]);
    without.arrive(named("waits"), 0);
    expect(victims(without, 2)).toEqual([]);
  });

  it("goes on when the last victims have ended and their room is seen", () => {
    const controller = evicting();
    const sent = send(
      controller,
      ["a", "b", "c", "d"].map((name) => sheddable(name)),
    );
    controller.arrive(named("waits"), 0);
    const end = (name: string, now: number) =>
      controller.completed(sent.get(name) as Ticket<Named>, {}, now);
    expect(victims(controller, 4, 0)).toEqual(["d", "c"]);
    end("d", 5);
    expect(victims(controller, 4, 100)).toEqual([]);
    end("c", 200);
    expect(victims(controller, 4, 209)).toEqual([]);
    expect(victims(controller, 4, 210)).toEqual(["b", "a"]);
  });

  it("waits for streams that do not end for ten seconds", () => {
    const controller = evicting();
    send(
      controller,
      ["a", "b", "c"].map((name) => sheddable(name)),
    );
    controller.arrive(named("waits"), 0);
    expect(victims(controller, 4, 0)).toEqual(["c", "b"]);
    expect(victims(controller, 4, 9_999)).toEqual([]);
    expect(victims(controller, 4, 10_000)).toEqual([]);
    expect(victims(controller, 4, 10_010)).toEqual(["a"]);
  });

  it("waits until metrics were read again where the pool is full by them", () => {
    const controller = evicting("utilization-detector");
    const sent = send(
      controller,
      ["a", "b"].map((name) => sheddable(name)),
    );
    controller.arrive(named("waits"), 0);
    expect(victims(controller, 1, 0)).toEqual(["b"]);
    controller.completed(sent.get("b") as Ticket<Named>, {}, 0);
    expect(victims(controller, 1, 249)).toEqual([]);
    expect(victims(controller, 1, 250)).toEqual(["a"]);
  });

  it("makes room where no endpoint has a place, whatever the metrics say", () => {
    const controller = evicting();
    send(controller, [sheddable("a")]);
    controller.arrive(named("waits"), 0);
    expect(dispatchedNames(controller, { slots: 0, saturation: 0.3 })).toEqual([]);
    expect(controller.evict(0).map(({ request }) => request.name)).toEqual(["a"]);
  });

  it("cuts nobody off for a band that must not dispatch, however much room there is", () => {
    const controller = controllerOf(`
plugins: [{type: soft-reflective-ceiling-policy}]
flowControl: {enableEviction: true, usageLimitPolicyPluginRef: soft-reflective-ceiling-policy}
`);
    send(controller, [sheddable("a", -9), sheddable("b", -9)]);
    controller.arrive(sheddable("low", -1), 0);
    expect(victims(controller, 1)).toEqual([]);
    controller.arrive(named("waits"), 0);
    expect(victims(controller, 1)).toEqual(["b"]);
  });

  it("is told to clients as upstream does", () => {
    const { status, reason, body } = evictionError();
    expect({ status, reason, body }).toEqual({
      status: 429,
      reason: "evicted",
      body: "inference error: ResourceExhausted - request evicted by flow control",
    });
  });
});
