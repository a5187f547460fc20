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

/** Queues and dispatches requests. Returns their tickets by name. */
function send(controller: FlowController<Named>, requests: readonly Named[], now = 0) {
  for (const request of requests) controller.arrive(request, now);
  return new Map(
    controller.dispatch(now, room()).map((ticket) => [ticket.request.name, ticket] as const),
  );
}

const sheddable = (name: string, priority = -1) => named(name, { priority });

/** Returns the names of the evicted requests, after a dispatch at a saturation. */
function victims(controller: FlowController<Named>, saturation: number, now = 0): string[] {
  expect(dispatchedNames(controller, { saturation }, now)).toEqual([]);
  return controller.evict(now).map(({ request }) => request.name);
}

describe("eviction", () => {
  it("evicts the newest requests of the lowest priority", () => {
    const controller = evicting();
    send(controller, [sheddable("a", -1), sheddable("b", -2), sheddable("c", -2), named("d")]);
    controller.arrive(named("waits"), 0);
    expect(victims(controller, 4)).toEqual(["c", "b"]);
  });

  it.each([
    ["one request at the ceiling", 1, ["d"]],
    // Each of the four requests contributes 0.3 to the saturation of 1.2.
    ["one request if it is enough", 1.2, ["d"]],
    ["two requests if one is not enough", 1.5, ["d", "c"]],
    ["no more than two requests", 4, ["d", "c"]],
  ])("evicts %s", (_, saturation, expected) => {
    const controller = evicting();
    send(
      controller,
      ["a", "b", "c", "d"].map((name) => sheddable(name)),
    );
    controller.arrive(named("waits"), 0);
    expect(victims(controller, saturation)).toEqual(expected);
  });

  it.each([
    ["no request is queued", []],
    ["no queued request has a higher priority", [sheddable("waits")]],
  ])("evicts no request if %s", (_, waiting) => {
    const controller = evicting();
    send(controller, [sheddable("a")]);
    for (const request of waiting) controller.arrive(request, 0);
    expect(victims(controller, 2)).toEqual([]);
  });

  it("evicts only sheddable requests, and only with enableEviction", () => {
    const controller = evicting();
    send(controller, [named("a")]);
    controller.arrive(named("waits", { priority: 9 }), 0);
    expect(victims(controller, 2)).toEqual([]);
    const without = controllerOf();
    send(without, [sheddable("a")]);
    without.arrive(named("waits"), 0);
    expect(victims(without, 2)).toEqual([]);
  });

  it("continues when the last victims have ended and their free slots are visible", () => {
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

  it("waits ten seconds for streams that do not end", () => {
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

  it("waits for new metrics if the detector reads metrics", () => {
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

  it("frees a slot if all endpoints are full, whatever the metrics report", () => {
    const controller = evicting();
    send(controller, [sheddable("a")]);
    controller.arrive(named("waits"), 0);
    expect(dispatchedNames(controller, { slots: 0, saturation: 0.3 })).toEqual([]);
    expect(controller.evict(0).map(({ request }) => request.name)).toEqual(["a"]);
  });

  it("evicts no request for a band with ceiling 0", () => {
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

  it("responds to clients like upstream", () => {
    const { status, reason, body } = evictionError();
    expect({ status, reason, body }).toEqual({
      status: 429,
      reason: "evicted",
      body: "inference error: ResourceExhausted - request evicted by flow control",
    });
  });
});
