import fc from "fast-check";
import { expect, it } from "vitest";
import { controllerOf, type Named, named, room } from "./controllers.fixture.ts";
import type { Ticket } from "./flow-request.ts";

const policies = fc.record({
  fairness: fc.constantFrom(
    "global-strict-fairness-policy",
    "round-robin-fairness-policy",
    "program-aware-fairness",
    "weighted-fairness-policy",
  ),
  ceilings: fc.constantFrom(
    "static-usage-limit-policy",
    "soft-reflective-ceiling-policy",
    "slot-reserve-policy",
  ),
  bandPolicy: fc.constantFrom("strict", "weighted"),
});

const arrival = fc.record({
  does: fc.constant("arrive" as const),
  flow: fc.constantFrom("a", "b", "c"),
  priority: fc.integer({ min: -2, max: 1 }),
  promptTokens: fc.nat(99),
  ttl: fc.option(fc.nat(2_000), { nil: undefined }),
  slots: fc.constantFrom(0, 0, 1),
});

const step = fc.oneof(
  { weight: 3, arbitrary: arrival },
  fc.record({
    does: fc.constant("dispatch" as const),
    slots: fc.integer({ min: 0, max: 4 }),
    saturation: fc.constantFrom(0, 0.7, 0.9, 1, 2),
    isHotFull: fc.boolean(),
    settles: fc.boolean(),
  }),
  fc.record({
    does: fc.constantFrom("cancel", "end"),
    which: fc.nat(40),
    completionTokens: fc.option(fc.nat(500), { nil: undefined }),
  }),
  fc.record({ does: fc.constant("wait" as const), for: fc.nat(20_000), has: fc.boolean() }),
);

/** The state of every request, as its owner knows it. */
class Book {
  now = 0;
  /** Time that requests have been queued that no longer are, in ms. */
  #waited = 0;
  readonly waiting = new Set<Ticket<Named>>();
  readonly onTheirWay = new Set<Ticket<Named>>();
  readonly cutOff = new Set<Ticket<Named>>();

  move(ticket: Ticket<Named>, from: Set<Ticket<Named>>, to?: Set<Ticket<Named>>): void {
    expect(from.delete(ticket)).toBe(true);
    if (from === this.waiting) this.#waited += this.now - ticket.arrivedAt;
    to?.add(ticket);
  }

  /** Returns the time that all requests have been queued, in seconds. */
  waited(): number {
    const queued = [...this.waiting].map(({ arrivedAt }) => this.now - arrivedAt);
    return queued.reduce((sum, each) => sum + each, this.#waited) / 1_000;
  }
}

it("flow control loses no request, ends none twice and has a reason for each second in the queue across cancels, expiries, evictions and close", () => {
  fc.assert(
    fc.property(policies, fc.array(step, { maxLength: 60, size: "max" }), (given, steps) => {
      const controller = controllerOf(`
plugins: [{type: ${given.fairness}}, {type: ${given.ceilings}}]
flowControl:
  enableEviction: true
  defaultRequestTTL: 30s
  noEndpointRequestTTL: 10s
  maxRequests: 12
  bandPolicy: ${given.bandPolicy}
  usageLimitPolicyPluginRef: ${given.ceilings}
  defaultPriorityBand: {fairnessPolicyRef: ${given.fairness}}
`);
      const book = new Book();
      const all: Ticket<Named>[] = [];
      let now = 0;
      steps.forEach((each, at) => {
        if (each.does === "arrive") {
          const request = named(`${at}`, { ...each, receivedAt: now });
          const passed = controller.pass(request, now, room({ saturation: 0, ...each }));
          if (passed !== undefined) {
            all.push(passed);
            book.onTheirWay.add(passed);
            return;
          }
          const { ticket, displaced } = controller.arrive(request, now);
          if (displaced !== undefined) book.move(displaced.ticket, book.waiting);
          if (ticket === undefined) expect(book.waiting.size).toBe(12);
          else {
            all.push(ticket);
            book.waiting.add(ticket);
          }
        } else if (each.does === "dispatch") {
          const takes = ({ flow }: Named) => !each.isHotFull || flow.id !== "a";
          for (const ticket of controller.dispatch(now, room({ ...each, takes })))
            book.move(ticket, book.waiting, book.onTheirWay);
          for (const ticket of controller.evict(now)) {
            expect(ticket.request.flow.priority).toBeLessThan(0);
            expect(book.onTheirWay.has(ticket)).toBe(true);
            expect(book.cutOff.has(ticket)).toBe(false);
            book.cutOff.add(ticket);
          }
        } else if (each.does === "wait") {
          now += each.for;
          book.now = now;
          controller.poolChanged(each.has, now);
          for (const { ticket } of controller.expire(now)) book.move(ticket, book.waiting);
        } else {
          const ticket = all[each.which];
          if (ticket === undefined) return;
          if (each.does === "end") {
            controller.completed(ticket, each, now);
            book.onTheirWay.delete(ticket);
          } else if (controller.cancel(ticket, now)) book.move(ticket, book.waiting);
        }
        expect(controller.size).toBe(book.waiting.size);
        const { bands, waitedSeconds } = controller.queues(now);
        const waited = Object.values(waitedSeconds).reduce((sum, seconds) => sum + seconds, 0);
        expect(waited).toBeCloseTo(book.waited());
        const flows = bands.flatMap((band) => band.flows);
        const inFlight = flows.reduce((sum, flow) => sum + flow.inFlight, 0);
        expect(inFlight).toBe(book.onTheirWay.size);
      });
      for (const { ticket } of controller.close(now)) book.move(ticket, book.waiting);
      for (const ticket of book.onTheirWay) controller.completed(ticket, {}, now);
      expect(book.waiting.size).toBe(0);
      controller.expire(now + 600_000);
      expect(controller.nextDeadline()).toBeUndefined();
      expect(controller.queues(now).bands).toMatchObject([{ priority: 0, flows: [] }]);
    }),
  );
}, 300_000);
