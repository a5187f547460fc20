import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Simulation } from "../../testing/model-server/simulation.ts";
import { metrics } from "../cycles.fixture.ts";
import { constants } from "../load-constants.ts";
import { EstimatedConcurrency, type ServerWork } from "./estimated-concurrency.ts";

const { firstSlots } = constants;

/**
 * Reads a server that runs at most `limit` requests and gets one request per slot, up to `demand`. Returns the waiting
 * requests of each reading.
 */
function serve(slots: EstimatedConcurrency, limit: number, readings: number, demand = 1_000) {
  const seen: number[] = [];
  for (let at = 0; at < readings; at += 1) {
    const load = Math.min(demand, slots.count);
    const runningRequests = Math.min(limit, load);
    const waitingRequests = load - runningRequests;
    seen.push(waitingRequests);
    slots.read(metrics({ at: 50 * at, runningRequests, waitingRequests }), { load });
  }
  return seen;
}

const startedWith = (count: number) => {
  const slots = new EstimatedConcurrency();
  slots.startWith(count);
  return slots;
};

describe("EstimatedConcurrency", () => {
  /** A reading of a server that counts first tokens. */
  const counted = (at: number, runningRequests: number, waitingRequests: number, firstTokens = 0) =>
    metrics({ at, runningRequests, waitingRequests, firstTokens });

  it.each([1, 3, 8, 9, 64, 256])(
    "finds the number of requests that a server runs, plus at most one slot: %i",
    (limit) => {
      const slots = new EstimatedConcurrency();
      serve(slots, limit, 100);
      expect(slots.count - limit).toBeGreaterThanOrEqual(0);
      expect(slots.count - limit).toBeLessThanOrEqual(1);
    },
  );

  it("doubles each successful try of more slots, up to four slots or an eighth", () => {
    const slots = new EstimatedConcurrency();
    const seen = Array.from({ length: 10 }, () => {
      serve(slots, 256, 1);
      return slots.count;
    });
    expect(seen).toEqual([9, 11, 15, 19, 23, 27, 31, 35, 39, 43]);
  });

  it("grows at the same rate if a share of the slots must stay unused", () => {
    const slots = new EstimatedConcurrency();
    const seen = [firstSlots];
    for (let at = 0; slots.count < 40; at += 50) {
      const load = Math.floor(0.8 * slots.count);
      slots.read(counted(at, load, 0, at), { load, usable: 0.8 });
      if (slots.count !== seen.at(-1)) seen.push(slots.count);
    }
    expect(seen).toEqual([firstSlots, 9, 11, 15, 19, 23, 27, 31, 35, 39, 43]);
  });

  it("lets at most one request wait at a server with exactly the initial number of slots", () => {
    expect(Math.max(...serve(new EstimatedConcurrency(), firstSlots, 100))).toBe(1);
  });

  it("lets at most one request wait once the limit is known", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 20, 100);
    expect(Math.max(...serve(slots, 20, 200))).toBeLessThanOrEqual(1);
  });

  it("lets requests wait in fewer than 2 % of the readings once the limit is known", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 20, 1_000);
    const waited = serve(slots, 20, 1_000);
    expect(waited.filter((count) => count > 0).length).toBeLessThan(20);
  });

  it("tries slots beyond its own or another server's limit only while requests want a slot", () => {
    const tried = (slots: EstimatedConcurrency, work: Partial<ServerWork>) => {
      const from = slots.count;
      for (let at = 100_000; at < 110_000; at += 50) {
        const runningRequests = Math.min(from, slots.count);
        slots.read(metrics({ at, runningRequests }), { load: slots.count, ...work });
      }
      return slots.count - from;
    };
    const known = () => {
      const slots = new EstimatedConcurrency();
      serve(slots, 20, 100);
      return slots;
    };
    expect(tried(known(), { isWanted: false })).toBe(0);
    expect(tried(known(), { isWanted: true })).toBe(1);
    expect(tried(new EstimatedConcurrency(), { isWanted: false, othersLimit: firstSlots })).toBe(0);
    expect(
      tried(new EstimatedConcurrency(), { isWanted: true, othersLimit: firstSlots }),
    ).toBeGreaterThan(0);
    expect(tried(new EstimatedConcurrency(), { isWanted: false })).toBeGreaterThan(0);
  });

  it("removes a slot whose request waits at the server through two steps", () => {
    const slotsAfter = (load: number) => {
      const slots = startedWith(9);
      for (let at = 0; at < 200; at += 50) slots.read(counted(at, 8, 1, at), { load });
      return slots.count;
    };
    expect(slotsAfter(9)).toBe(8);
    // A request that waits although slots are free waits for something else.
    expect(slotsAfter(8)).toBe(9);
  });

  it("is capped at another server's limit, or at the requests it ran itself, while no request wants more", () => {
    const slotsBeside = (othersLimit: number, isWanted: boolean) => {
      const slots = startedWith(20);
      slots.read(counted(0, 9, 0), { load: 9, othersLimit, isWanted });
      return slots.count;
    };
    expect(slotsBeside(12, false)).toBe(12);
    expect(slotsBeside(8, false)).toBe(9);
    expect(slotsBeside(8, true)).toBe(20);
  });

  it("keeps its slots while fewer are used", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 256, 100, firstSlots - 1);
    expect(slots.count).toBe(firstSlots);
  });

  it("shrinks when the server runs fewer requests, and grows back when it runs more", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 32, 100);
    serve(slots, 4, 5);
    expect(slots.count).toBeLessThanOrEqual(5);
    serve(slots, 32, 10);
    expect(slots.count).toBeGreaterThanOrEqual(32);
  });

  it("does not shrink for requests that wait through one step only", () => {
    const slots = new EstimatedConcurrency();
    slots.read(metrics({ runningRequests: 1, waitingRequests: 5 }), { load: 6 });
    slots.read(metrics({ runningRequests: 6, waitingRequests: 0 }), { load: 6 });
    expect(slots.count).toBe(firstSlots);
  });

  it("recovers from a limit that was seen too low", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 8, 50);
    // The pauses between tries grow while the tries fail.
    serve(slots, 64, 400);
    expect(slots.count).toBeGreaterThanOrEqual(64);
  });

  it("does not shrink for requests that wait while prompts are computed", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 2_000; at += 50)
      slots.read(counted(at, 3, 5, at / 50), { load: 8, computes: true });
    expect(slots.count).toBe(firstSlots);
    for (let at = 2_000; at < 2_200; at += 50)
      slots.read(counted(at, 3, 5, at / 50), { load: 8, computes: false });
    expect(slots.count).toBe(3);
  });

  it("does not shrink for requests that arrived during a step, even if the step is read several times", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 400; at += 50) slots.read(counted(at, 1, 5), { load: 6 });
    expect(slots.count).toBe(firstSlots);
  });

  it("does not shrink if all waiting requests run in the next step, even if new ones wait", () => {
    const slots = new EstimatedConcurrency();
    slots.read(counted(0, 1, 3, 1), { load: 4 });
    slots.read(counted(50, 4, 3, 4), { load: 7 });
    expect(slots.count).toBe(firstSlots);
  });

  it("shrinks to the running requests if others wait at every reading, however many start and end in between", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 4; at += 1) slots.read(counted(500 * at, 4, 4, 20 * at), { load: 8 });
    expect(slots.count).toBe(4);
  });

  it("shrinks to the running requests if the readings stay equal while requests wait", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at <= 1_000; at += 50) slots.read(counted(at, 5, 6), { load: 11 });
    expect(slots.count).toBe(5);
  });

  it("does not shrink if responses end in the step in which they begin", () => {
    const slots = new EstimatedConcurrency();
    for (let step = 1; step < 20; step += 1) {
      const page = metrics({ at: 100 * step, runningRequests: 0, waitingRequests: firstSlots });
      slots.read(page, { load: firstSlots, ended: firstSlots * step });
    }
    expect(slots.count).toBe(firstSlots);
  });

  it("grows slowly if the readings show none of the requests sent", () => {
    const slots = new EstimatedConcurrency();
    const unseen = (at: number) =>
      slots.read(metrics({ at, runningRequests: 0 }), { load: slots.count });
    const seen = [0, 400, 500, 600, 900, 1_000].map((at) => {
      unseen(at);
      return slots.count - firstSlots;
    });
    expect(seen).toEqual([0, 0, 1, 1, 1, 2]);
  });

  it("does not grow if all slots are used only now and then and readings miss the last request", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 5_000; at += 400) {
      slots.read(metrics({ at, runningRequests: firstSlots - 1 }), { load: firstSlots });
      slots.read(metrics({ at: at + 200, runningRequests: 5 }), { load: 5 });
    }
    expect(slots.count).toBe(firstSlots);
  });

  it("recognizes steps by generated tokens, and removes a slot whose request waits through two of them", () => {
    const seen = [0, firstSlots].map((tokensPerReading) => {
      const slots = startedWith(firstSlots + 1);
      const counts = { runningRequests: firstSlots, waitingRequests: 1, firstTokens: 100 };
      for (let read = 0; read < 5; read += 1) {
        const generatedTokens = 1_000 + read * tokensPerReading;
        const page = metrics({ at: 50 * read, ...counts, generatedTokens });
        slots.read(page, { load: firstSlots + 1 });
      }
      return slots.count;
    });
    expect(seen).toEqual([firstSlots + 1, firstSlots]);
  });

  it("does not grow while some readings show a waiting request", () => {
    const slots = new EstimatedConcurrency();
    const read = (at: number, runningRequests: number, waitingRequests: number) =>
      slots.read(metrics({ at, runningRequests, waitingRequests }), { load: firstSlots });
    // The server runs one request fewer than there are slots.
    for (let at = 0; at < 5_000; at += 200) {
      read(at, firstSlots - 1, 1);
      for (const later of [50, 100, 150]) read(at + later, firstSlots - 1, 0);
    }
    expect(slots.count).toBe(firstSlots);
  });

  it("exceeds the highest number of running requests by at most an eighth, even if other pickers' requests exceed the slots", () => {
    const slots = new EstimatedConcurrency();
    // Two requests wait through a step. The limit seen is too low.
    for (let at = 0; at < 2; at += 1) slots.read(counted(500 * at, 4, 4, at), { load: firstSlots });
    for (let running = 5; running <= 24; running += 1) {
      slots.read(counted(1_000 + 50 * running, running, 0, running), { load: running });
      expect(slots.count).toBeLessThanOrEqual(running + Math.max(1, Math.floor(running / 8)));
    }
    expect(slots.count).toBeGreaterThanOrEqual(24);
  });

  it("exceeds the real limit by one slot in fewer than 10 % of the readings while some slots stay unused", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 64, 100);
    const counts: number[] = [];
    for (let at = 5_000; at < 105_000; at += 50) {
      const load = Math.floor((62 / 64) * slots.count);
      slots.read(metrics({ at, runningRequests: load }), { load, usable: 62 / 64 });
      counts.push(slots.count);
    }
    expect(Math.max(...counts)).toBe(65);
    expect(counts.filter((count) => count > 64).length).toBeLessThan(0.1 * counts.length);
  });

  it("stays near the real limit for any share of slots in use", () => {
    const parts = fc.double({ min: 0.5, max: 1, noNaN: true });
    const sizes = fc.integer({ min: 4, max: 64 });
    fc.assert(
      fc.property(sizes, parts, fc.integer(), (limit, usable, seed) => {
        const learnt = learntOf({ limit, usable, seed, seconds: 15 });
        expect(learnt).toBeGreaterThanOrEqual(Math.floor(0.9 * limit) - 1);
        // Unused slots are never seen in use, so the estimate may contain more of them.
        expect(learnt).toBeLessThanOrEqual(Math.ceil((1.125 * limit) / usable) + 2);
      }),
      { numRuns: 20 },
    );
  });
});

/**
 * Returns the slots learned from a server whose slots are always in use up to a share `usable`: another request
 * replaces each one that ends.
 */
function learntOf(of: { limit: number; usable: number; seed: number; seconds: number }): number {
  const { limit, usable, seed, seconds } = of;
  const slots = new EstimatedConcurrency();
  const server = new Simulation({
    ...{ maxSequences: limit, stepMs: 10, stepMsPerSequence: 0.1, prefillTokensPerSecond: 20_000 },
  });
  const answers = fc.sample(fc.integer({ min: 1, max: 200 }), { numRuns: 997, seed });
  let [sent, ended] = [0, 0];
  const fill = (now: number) => {
    for (; sent - ended < Math.max(1, Math.floor(usable * slots.count)); sent += 1)
      server.submit(
        { id: sent, prompt: `request ${sent}`, maxTokens: answers[sent % 997] as number },
        now,
      );
  };
  for (let at = 0; at < 1_000 * seconds; at += 50) {
    while (server.nextAt <= at) {
      const { nextAt } = server;
      ended += server.advance(nextAt).filter(({ last }) => last).length;
      fill(nextAt);
    }
    const { running, waiting, firstTokens, endedRequests, generatedTokens } = server.metrics;
    const page = metrics({
      ...{ at, runningRequests: running, waitingRequests: waiting },
      ...{ firstTokens, endedRequests, generatedTokens },
    });
    slots.read(page, { load: sent - ended, ended, usable });
    fill(at);
  }
  return slots.count;
}
