import { describe, expect, it } from "vitest";
import type { Named } from "./controllers.fixture.ts";
import { controllerOf, dispatchedNames, named, room, settingsOf } from "./controllers.fixture.ts";
import { FlowController } from "./flow-controller.ts";
import type { Reserve } from "./policies.ts";

const arriveAll = (controller: FlowController<Named>, requests: readonly Named[], now = 0) =>
  requests.map((request) => controller.arrive(request, now));

const outcomesOf = (found: ReadonlyArray<{ refusal?: { outcome: string } | undefined }>) =>
  found.map(({ refusal }) => refusal?.outcome);

describe("dispatch", () => {
  it("sends requests of the highest band first, and within a band in order of arrival", () => {
    const controller = controllerOf();
    arriveAll(controller, [
      named("low", { priority: -1 }),
      named("a", { flow: "x" }),
      named("b", { flow: "y" }),
      named("c", { flow: "x" }),
      named("high", { priority: 7 }),
    ]);
    expect(dispatchedNames(controller)).toEqual(["high", "a", "b", "c", "low"]);
    expect(controller.size).toBe(0);
  });

  it("sends only as many requests as there are free slots", () => {
    const controller = controllerOf();
    arriveAll(controller, [named("a"), named("b"), named("c")]);
    expect(dispatchedNames(controller, { slots: 2 })).toEqual(["a", "b"]);
    expect(dispatchedNames(controller, { slots: 0 })).toEqual([]);
    expect(dispatchedNames(controller, { slots: 2 })).toEqual(["c"]);
  });

  it("passes a request without queueing it only if a slot is free", () => {
    const controller = controllerOf();
    expect(controller.pass(named("a"), 0, room({ slots: 0 }))).toBeUndefined();
    expect(controller.pass(named("a"), 0, room({ slots: 1 }))?.request.name).toBe("a");
  });

  it("sends no request while the pool is full", () => {
    const controller = controllerOf();
    arriveAll(controller, [named("a")]);
    expect(dispatchedNames(controller, { saturation: 1 })).toEqual([]);
    expect(dispatchedNames(controller, { saturation: 0.999 })).toEqual(["a"]);
  });

  it("lets other requests pass a request whose endpoints are full, which keeps its position", () => {
    const controller = controllerOf();
    arriveAll(controller, [named("hot"), named("a"), named("b", { flow: "y" })]);
    const takes = ({ name }: Named) => name !== "hot";
    expect(dispatchedNames(controller, { slots: 1, takes })).toEqual(["a"]);
    arriveAll(controller, [named("c")]);
    expect(dispatchedNames(controller)).toEqual(["hot", "b", "c"]);
  });
});

describe("limits", () => {
  it.each([
    ["requests of a band", "defaultPriorityBand: {maxRequests: 2}"],
    ["bytes of a band", "defaultPriorityBand: {maxBytes: 200}"],
    ["requests of all bands", "maxRequests: 2"],
    ["bytes of all bands", "maxBytes: 200"],
  ])("refuse a request beyond the limit on %s", (_, body) => {
    const controller = controllerOf(`flowControl: {${body}}`);
    const found = arriveAll(controller, [named("a"), named("b"), named("c")]);
    expect(outcomesOf(found)).toEqual([undefined, undefined, "RejectedCapacity"]);
    controller.poolChanged(false, 0);
    expect(outcomesOf(arriveAll(controller, [named("d")]))).toEqual(["RejectedNoEndpoints"]);
    controller.poolChanged(true, 0);
    expect(dispatchedNames(controller)).toEqual(["a", "b"]);
    expect(outcomesOf(arriveAll(controller, [named("e")]))).toEqual([undefined]);
  });

  it.each(["maxRequests: 3", "maxBytes: 300"])(
    "share %s among flows with weighted-fairness-policy",
    (limit) => {
      const fair = "weighted-fairness-policy";
      const controller = controllerOf(`plugins: [{type: ${fair}}]
flowControl: {defaultPriorityBand: {${limit}, fairnessPolicyRef: ${fair}}}`);
      const of = (flow: string, count: number) =>
        Array.from({ length: count }, (_, at) => named(`${flow}${at}`, { flow }));
      const found = arriveAll(controller, [...of("heavy", 4), ...of("light", 2)]);
      expect(outcomesOf(found)).toEqual([
        ...Array(3),
        "RejectedCapacity",
        undefined,
        "RejectedCapacity",
      ]);
      expect(found[4]?.displaced).toMatchObject({
        ticket: { request: { name: "heavy2" }, state: "ended" },
        refusal: { outcome: "RejectedCapacity" },
      });
      expect(dispatchedNames(controller)).toEqual(["heavy0", "light0", "heavy1"]);
    },
  );

  it("a request displaces another one only if it then fits", () => {
    const fair = "weighted-fairness-policy";
    const controller = controllerOf(`plugins: [{type: ${fair}}]
flowControl: {maxBytes: 300, defaultPriorityBand: {fairnessPolicyRef: ${fair}}}`);
    const heavy = ["a", "b", "c"].map((name) => named(name, { flow: "heavy" }));
    arriveAll(controller, heavy);
    const found = controller.arrive(named("light", { flow: "light", bytes: 101 }), 0);
    expect(found.refusal?.outcome).toBe("RejectedCapacity");
    const exact = controller.arrive(named("light", { flow: "light", bytes: 100 }), 0);
    expect(exact.displaced?.ticket.request.name).toBe("c");
  });

  it("of bands that are not configured are set by the default band from priority 0 and by the negative band below 0", () => {
    const bands = {
      defaultPriorityBand: { maxRequests: 2 },
      defaultNegativePriorityBand: { maxRequests: 1 },
    };
    const settings = settingsOf(`flowControl: ${JSON.stringify(bands)}`);
    const controller = new FlowController<Named>({ ...settings, bands: [] });
    const outcomes = (priority: number) =>
      outcomesOf(arriveAll(controller, [named("a", { priority }), named("b", { priority })]));
    expect(outcomes(0)).toEqual([undefined, undefined]);
    expect(outcomes(-1)).toEqual([undefined, "RejectedCapacity"]);
  });

  it("apply to each band separately", () => {
    const controller = controllerOf("flowControl: {defaultPriorityBand: {maxRequests: 1}}");
    const found = arriveAll(controller, [named("a"), named("b", { priority: 1 })]);
    expect(outcomesOf(found)).toEqual([undefined, undefined]);
  });
});

describe("a queued request", () => {
  const ttls = "flowControl: {defaultRequestTTL: 10s, noEndpointRequestTTL: 3s}";
  const expiredAt = (controller: FlowController<Named>, now: number) =>
    controller
      .expire(now)
      .map(({ ticket, refusal }) => [ticket.request.name, refusal.outcome] as const);

  it("expires after the default time to live, or earlier after its own", () => {
    const controller = controllerOf(ttls);
    arriveAll(controller, [
      named("a"),
      named("own", { ttl: 4_000 }),
      named("long", { ttl: 99_000 }),
    ]);
    expect(controller.nextDeadline()).toBe(4_000);
    expect(expiredAt(controller, 3_999)).toEqual([]);
    expect(expiredAt(controller, 4_000)).toEqual([["own", "EvictedTTL"]]);
    expect(expiredAt(controller, 10_000)).toEqual([
      ["a", "EvictedTTL"],
      ["long", "EvictedTTL"],
    ]);
    expect(controller.queues(10_000)).toMatchObject({ requests: 0, bytes: 0 });
  });

  it("has another time to live while the pool is empty, which starts when the pool becomes empty", () => {
    const controller = controllerOf(ttls);
    arriveAll(controller, [named("a")]);
    controller.poolChanged(false, 9_000);
    expect(controller.nextDeadline()).toBe(12_000);
    arriveAll(controller, [named("b")], 11_000);
    expect(expiredAt(controller, 12_000)).toEqual([["a", "EvictedNoEndpoints"]]);
    controller.poolChanged(true, 13_000);
    controller.poolChanged(true, 14_000);
    expect(expiredAt(controller, 22_999)).toEqual([]);
    expect(expiredAt(controller, 23_000)).toEqual([["b", "EvictedTTL"]]);
  });

  it("is not dispatched while no endpoint of the pool can respond, whatever the capacity", () => {
    const controller = controllerOf(ttls);
    controller.poolChanged(false, 0);
    expect(controller.pass(named("a"), 0, room({ slots: 9 }))).toBeUndefined();
    arriveAll(controller, [named("a")]);
    expect(dispatchedNames(controller)).toEqual([]);
    controller.poolChanged(true, 1_000);
    expect(dispatchedNames(controller)).toEqual(["a"]);
  });

  it("never expires with a time to live of 0s", () => {
    const controller = controllerOf("flowControl: {defaultRequestTTL: 0s}");
    arriveAll(controller, [named("a")]);
    expect(controller.nextDeadline()).toBeUndefined();
    expect(expiredAt(controller, 1e12)).toEqual([]);
  });

  it("can be cancelled only once", () => {
    const controller = controllerOf();
    const [a, b] = arriveAll(controller, [named("a"), named("b")]);
    expect(controller.cancel(a?.ticket as never, 1)).toBe(true);
    expect(controller.cancel(a?.ticket as never, 1)).toBe(false);
    expect(dispatchedNames(controller)).toEqual(["b"]);
    expect(controller.cancel(b?.ticket as never, 1)).toBe(false);
  });

  it("is refused when the picker shuts down, like later requests", () => {
    const controller = controllerOf();
    arriveAll(controller, [named("a")]);
    expect(outcomesOf(controller.close(1))).toEqual(["EvictedOther"]);
    expect(outcomesOf(arriveAll(controller, [named("b")]))).toEqual(["RejectedOther"]);
  });
});

it("retryAfter is the expected time until a slot is free, at the rate of recent dispatches", () => {
  const controller = controllerOf("flowControl: {maxRequests: 20}");
  const refused = (now: number) => controller.arrive(named("x"), now).refusal?.retryAfter;
  for (let at = 0; at < 20; at += 1) controller.arrive(named(`${at}`), 0);
  expect(refused(0)).toBe(60);
  for (let now = 1; now <= 30_000; now += 500) {
    for (const ticket of controller.dispatch(now, room({ slots: 1 })))
      controller.completed(ticket, {}, now);
    controller.arrive(named("again"), now);
  }
  expect(controller.queues(30_000).dispatchedPerSecond).toBeCloseTo(2, 0);
  expect(refused(30_000)).toBe(11);
});

describe("memory", () => {
  it("forgets idle flows after five minutes, and bands that are not configured after ten", () => {
    const controller = controllerOf();
    const shown = () =>
      controller.queues(0).bands.map(({ priority, flows }) => [priority, flows.length]);
    arriveAll(controller, [named("a"), named("b", { priority: 5 })]);
    const tickets = controller.dispatch(0, room());
    controller.expire(3_600_000);
    expect(shown()).toEqual([
      [5, 1],
      [0, 1],
    ]);
    for (const ticket of tickets) {
      controller.completed(ticket, {}, 0);
      controller.completed(ticket, {}, 0);
    }
    expect(controller.nextDeadline()).toBe(300_000);
    controller.expire(300_000);
    expect(shown()).toEqual([
      [5, 0],
      [0, 0],
    ]);
    controller.expire(600_000);
    expect(shown()).toEqual([[0, 0]]);
    expect(controller.nextDeadline()).toBeUndefined();
  });
});

describe("bands that share by weight", () => {
  const body = (more = "") => `
${more}
flowControl:
  bandPolicy: weighted
  ${more === "" ? "" : "usageLimitPolicyPluginRef: holdback"}
  priorityBands: [{priority: 1, weight: 3}, {priority: 0}]
`;
  const bandsOf = (controller: FlowController<Named>, given: Parameters<typeof room>[0]) => {
    for (let at = 0; at < 20; at += 1)
      arriveAll(controller, [named("h", { priority: 1 }), named("l", { priority: 0 })]);
    return dispatchedNames(controller, given).join("");
  };

  it("each get turns by weight", () => {
    const went = bandsOf(controllerOf(body()), { slots: 12 });
    expect([...went].filter((name) => name === "h")).toHaveLength(9);
  });

  it("report the share of the pool that is held back from a blocked band, and 0 if none is blocked", () => {
    const holdback =
      "plugins: [{name: holdback, type: priority-holdback-policy, parameters: {minCeiling: 0.5}}]";
    const controller = controllerOf(
      `${holdback}\nflowControl: {usageLimitPolicyPluginRef: holdback}`,
    );
    expect(controller.ejected).toBe(0);
    controller.arrive(named("high", { priority: 1 }), 0);
    controller.arrive(named("low", { priority: 0 }), 0);
    expect(dispatchedNames(controller, { saturation: 0.7 })).toEqual(["high"]);
    expect(controller.ejected).toBe(0.5);
    expect(dispatchedNames(controller, { saturation: 0.2 })).toEqual(["low"]);
    expect(controller.ejected).toBe(0);
  });

  it("dispatch only up to their ceilings", () => {
    const holdback =
      "plugins: [{name: holdback, type: priority-holdback-policy, parameters: {minCeiling: 0.5}}]";
    expect(bandsOf(controllerOf(body(holdback)), { slots: 4, saturation: 0.6 })).toBe("hhhh");
  });
});

describe("a band that reserves slots for higher bands", () => {
  const reserving =
    "plugins: [{name: reserve, type: slot-reserve-policy}]\nflowControl: {usageLimitPolicyPluginRef: reserve}";
  /** Returns a capacity with free slots, `beyond` of them beyond the reserve. */
  const partly = (beyond: number) => {
    const left: unknown[] = [];
    const places = {
      ...room({ slots: 100 }),
      hasSlotBeyond: () => beyond > 0,
      take: (_: Named, reserve?: Reserve) => {
        left.push(reserve?.used);
        return true;
      },
    };
    return { left, places };
  };

  it("dispatches only while slots are free beyond its reserve, and passes its reserve to the capacity", () => {
    const controller = controllerOf(reserving);
    const names = (beyond: number) => {
      arriveAll(controller, [named("h", { priority: 1 }), named("l", { priority: 0 })]);
      const { left, places } = partly(beyond);
      const went = controller.dispatch(0, places).map(({ request }) => request.name);
      return { went, left };
    };
    expect(names(1)).toMatchObject({ went: ["h", "l"], left: [undefined, 1] });
    expect(names(0)).toMatchObject({ went: ["h"], left: [undefined] });
    // A request does not skip the queue either without a free slot beyond the reserve.
    expect(names(1).went).toEqual(["h", "l", "l"]);
    expect(controller.pass(named("l"), 0, partly(0).places)).toBeUndefined();
    expect(controller.pass(named("h", { priority: 1 }), 0, partly(0).places)).toBeDefined();
  });
});
