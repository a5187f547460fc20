import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { controllerOf, type Named, named, room } from "./controllers.fixture.ts";
import type { Ticket } from "./flow-request.ts";
import { type NaiveSettings, ReferenceFlowControl } from "./reference-flow-control.fixture.ts";

const fairness = {
  strict: "global-strict-fairness-policy",
  "round-robin": "round-robin-fairness-policy",
  weighted: "weighted-fairness-policy",
};
const ordering = {
  fcfs: "fcfs-ordering-policy",
  edf: "edf-ordering-policy",
  slo: "slo-deadline-ordering-policy",
};
const weights = { a: 1, b: 2.5, c: 7 };

function configurationOf(settings: NaiveSettings): string {
  const fair = fairness[settings.fairness];
  const ceilings =
    settings.ceilings === "static" ? "static-usage-limit-policy" : "priority-holdback-policy";
  return `
plugins:
- type: ${fair}
  parameters: ${settings.fairness === "weighted" ? JSON.stringify({ weights }) : "{}"}
- type: ${ordering[settings.ordering]}
  parameters: ${settings.ordering === "fcfs" ? "{}" : JSON.stringify({ oldestShare: settings.oldestShare })}
- type: ${ceilings}
  parameters: ${settings.ceilings === "static" ? "{}" : JSON.stringify({ domain: settings.ceilings, minCeiling: 0.5 })}
flowControl:
  maxRequests: ${settings.maxRequests}
  defaultRequestTTL: ${settings.requestTtl}ms
  noEndpointRequestTTL: ${settings.noEndpointTtl}ms
  usageLimitPolicyPluginRef: ${ceilings}
  defaultPriorityBand:
    maxBytes: ${settings.bandBytes}
    fairnessPolicyRef: ${fair}
    orderingPolicyRef: ${ordering[settings.ordering]}
`;
}

const settings = fc.record({
  fairness: fc.constantFrom("strict", "round-robin", "weighted"),
  ordering: fc.constantFrom("fcfs", "edf", "slo"),
  oldestShare: fc.constantFrom(0, 0.25, 0.5, 1),
  ceilings: fc.constantFrom("static", "rank", "value"),
  maxRequests: fc.integer({ min: 3, max: 20 }),
  bandBytes: fc.integer({ min: 5, max: 40 }),
  requestTtl: fc.integer({ min: 5, max: 60 }),
  noEndpointTtl: fc.integer({ min: 5, max: 60 }),
  weights: fc.constant(weights),
}) satisfies fc.Arbitrary<NaiveSettings>;

const arrival = fc.record({
  does: fc.constant("arrive" as const),
  flow: fc.constantFrom("a", "b", "c", "d"),
  priority: fc.integer({ min: -1, max: 2 }),
  bytes: fc.integer({ min: 1, max: 6 }),
  promptTokens: fc.integer({ min: 1, max: 99 }),
  ttl: fc.option(fc.integer({ min: 0, max: 70 }), { nil: undefined }),
  firstTokenWithin: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  isHot: fc.boolean(),
  settles: fc.boolean(),
  room: fc.constantFrom(0, 0, 1),
  saturation: fc.constantFrom(0, 0.5, 0.6, 0.75, 0.9),
});

const step = fc.oneof(
  { weight: 6, arbitrary: arrival },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("dispatch" as const),
      slots: fc.integer({ min: 0, max: 4 }),
      saturation: fc.constantFrom(0, 0.5, 0.6, 0.75, 0.9, 1, 3),
      isHotFull: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("cancel" as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("end" as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("pool" as const), has: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("wait" as const), for: fc.nat(30) }) },
);

describe("flow control", () => {
  it("behaves like a list that is searched for every operation", () => {
    fc.assert(
      fc.property(settings, fc.array(step, { maxLength: 60, size: "max" }), (given, steps) => {
        const controller = controllerOf(configurationOf(given));
        const reference = new ReferenceFlowControl(given);
        const tickets: Ticket<Named>[] = [];
        const hot = new Set<string>();
        const taking = new Set<string>();
        const answered = new Set<string>();
        let now = 0;
        const answer = (name: string) => {
          expect(answered.has(name)).toBe(false);
          answered.add(name);
        };
        const expire = () => {
          const due = controller.nextDeadline();
          const expired = controller.expire(now).map(({ ticket }) => ticket.request.name);
          expired.forEach(answer);
          if (expired.length > 0) expect(due).toBeLessThanOrEqual(now);
          expect(expired.sort()).toEqual(reference.expire(now));
        };
        steps.forEach((each, at) => {
          if (each.does === "arrive") {
            const request = named(`${at}`, { ...each, receivedAt: now });
            if (each.isHot) hot.add(request.name);
            if (each.settles) taking.add(request.name);
            // The reference queues the request and dispatches it in the same turn.
            const passed = controller.pass(request, now, room({ ...each, slots: each.room }));
            if (passed !== undefined) {
              expect(reference.waiting).toEqual([]);
              tickets.push(passed);
              expect(reference.arrive(request, now)).toBeUndefined();
              expect(reference.dispatch(1, each.saturation, () => true)).toEqual([request.name]);
              answer(request.name);
              return;
            }
            const arrived = controller.arrive(request, now);
            expect(arrived.refusal?.outcome).toBe(reference.arrive(request, now));
            if (arrived.ticket === undefined) return;
            tickets.push(arrived.ticket);
            const displaced = arrived.displaced?.ticket.request.name;
            expect(displaced).toBe(reference.displaced.pop());
            if (displaced !== undefined) answer(displaced);
          } else if (each.does === "dispatch") {
            const takes = ({ name }: Named) => !(each.isHotFull && hot.has(name));
            const went = controller.dispatch(now, room({ ...each, takes }));
            const names = went.map(({ request }) => request.name);
            names.forEach(answer);
            const { slots, saturation } = each;
            expect(names).toEqual(reference.dispatch(slots, saturation, takes));
          } else if (each.does === "cancel") {
            const ticket = tickets[each.which];
            if (ticket === undefined) return;
            const { name } = ticket.request;
            const isCancelled = controller.cancel(ticket, now);
            expect(isCancelled).toBe(reference.cancel(name));
            if (isCancelled) answer(name);
          } else if (each.does === "end") {
            const ticket = tickets[each.which];
            if (ticket !== undefined) controller.completed(ticket, {}, now);
          } else if (each.does === "pool") {
            controller.poolChanged(each.has, now);
            reference.poolChanged(each.has, now);
            expire();
          } else {
            now += each.for;
            expire();
          }
          const view = controller.queues(now);
          expect(view.requests).toBe(reference.waiting.length);
          expect(view.bytes).toBe(
            reference.waiting.reduce((sum, { request }) => sum + request.bytes, 0),
          );
        });
        for (const { ticket } of controller.close(now)) answer(ticket.request.name);
        for (const ticket of tickets) controller.completed(ticket, {}, now);
        expect(answered).toEqual(new Set(tickets.map(({ request }) => request.name)));
        expect(controller.size).toBe(0);
        controller.expire(now + 600_000);
        const { requests, bytes, bands } = controller.queues(now);
        expect({ requests, bytes, bands: bands.map(({ flows }) => flows) }).toEqual({
          requests: 0,
          bytes: 0,
          bands: [[]],
        });
      }),
    );
  }, 300_000);
});
