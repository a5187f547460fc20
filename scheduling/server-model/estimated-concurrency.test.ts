import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Simulation } from "../../testing/model-server/simulation.ts";
import { metrics } from "../cycles.fixture.ts";
import { constants } from "../load-constants.ts";
import { EstimatedConcurrency, type ServerWork } from "./estimated-concurrency.ts";

const { firstSlots } = constants;

/** A server that works on so many requests at once, to which as many go as there are slots. */
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

describe("slots of a server", () => {
  /** Readings of a server that counts how many answers have begun. */
  const counted = (at: number, runningRequests: number, waitingRequests: number, firstTokens = 0) =>
    metrics({ at, runningRequests, waitingRequests, firstTokens });

  it.each([1, 3, 8, 9, 64, 256])(
    "slots of a server are about as many as it works on at once: %i",
    (limit) => {
      const slots = new EstimatedConcurrency();
      serve(slots, limit, 100);
      expect(slots.count - limit).toBeGreaterThanOrEqual(0);
      expect(slots.count - limit).toBeLessThanOrEqual(1);
    },
  );

  it("slots of a server grow by one, and by twice as many each time that all of them run, up to four and an eighth", () => {
    const slots = new EstimatedConcurrency();
    const seen = Array.from({ length: 10 }, () => {
      serve(slots, 256, 1);
      return slots.count;
    });
    expect(seen).toEqual([9, 11, 15, 19, 23, 27, 31, 35, 39, 43]);
  });

  it("slots of a server grow by as many where a part of them must be left unused", () => {
    const slots = new EstimatedConcurrency();
    const seen = [firstSlots];
    for (let at = 0; slots.count < 40; at += 50) {
      const load = Math.floor(0.8 * slots.count);
      slots.read(counted(at, load, 0, at), { load, usable: 0.8 });
      if (slots.count !== seen.at(-1)) seen.push(slots.count);
    }
    expect(seen).toEqual([firstSlots, 9, 11, 15, 19, 23, 27, 31, 35, 39, 43]);
  });

  it("slots of a server with as many as there are at first let no more than one request wait", () => {
    expect(Math.max(...serve(new EstimatedConcurrency(), firstSlots, 100))).toBe(1);
  });

  it("slots of a server let no more than one request wait once the limit is known", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 20, 100);
    expect(Math.max(...serve(slots, 20, 200))).toBeLessThanOrEqual(1);
  });

  it("slots of a server let hardly any request wait once the limit is known", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 20, 1_000);
    const waited = serve(slots, 20, 1_000);
    expect(waited.filter((count) => count > 0).length).toBeLessThan(20);
  });

  it("slots of a server are tried beyond its limit, and that of another one, only while requests want a place", () => {
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

  it("slots of a server are no more than it works on where the last one's request waits there through two steps", () => {
    const slotsAfter = (load: number) => {
      const slots = startedWith(9);
      for (let at = 0; at < 200; at += 50) slots.read(counted(at, 8, 1, at), { load });
      return slots.count;
    };
    expect(slotsAfter(9)).toBe(8);
    // One that waits although slots are free waits for something else.
    expect(slotsAfter(8)).toBe(9);
  });

  it("slots of a server are no more than another's limit, or what it ran itself, while nobody wants more", () => {
    const slotsBeside = (othersLimit: number, isWanted: boolean) => {
      const slots = startedWith(20);
      slots.read(counted(0, 9, 0), { load: 9, othersLimit, isWanted });
      return slots.count;
    };
    expect(slotsBeside(12, false)).toBe(12);
    expect(slotsBeside(8, false)).toBe(9);
    expect(slotsBeside(8, true)).toBe(20);
  });

  it("slots of a server stay as they are while fewer are used", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 256, 100, firstSlots - 1);
    expect(slots.count).toBe(firstSlots);
  });

  it("slots of a server become fewer where the server works on fewer, and as many again as it did", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 32, 100);
    serve(slots, 4, 5);
    expect(slots.count).toBeLessThanOrEqual(5);
    serve(slots, 32, 10);
    expect(slots.count).toBeGreaterThanOrEqual(32);
  });

  it("slots of a server are not fewer for requests that wait for one step alone", () => {
    const slots = new EstimatedConcurrency();
    slots.read(metrics({ runningRequests: 1, waitingRequests: 5 }), { load: 6 });
    slots.read(metrics({ runningRequests: 6, waitingRequests: 0 }), { load: 6 });
    expect(slots.count).toBe(firstSlots);
  });

  it("slots of a server are soon as many as there are where the limit that was seen was none", () => {
    const slots = new EstimatedConcurrency();
    serve(slots, 8, 50);
    // Tries of one more wait for longer and longer while they are in vain.
    serve(slots, 64, 400);
    expect(slots.count).toBeGreaterThanOrEqual(64);
  });

  it("slots of a server are not fewer for requests that wait for prompts to be computed", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 2_000; at += 50)
      slots.read(counted(at, 3, 5, at / 50), { load: 8, computes: true });
    expect(slots.count).toBe(firstSlots);
    for (let at = 2_000; at < 2_200; at += 50)
      slots.read(counted(at, 3, 5, at / 50), { load: 8, computes: false });
    expect(slots.count).toBe(3);
  });

  it("slots of a server are not fewer for requests that came during a step, however often it is read", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 400; at += 50) slots.read(counted(at, 1, 5), { load: 6 });
    expect(slots.count).toBe(firstSlots);
  });

  it("slots of a server are not fewer where all that waited run at the next step, although others wait", () => {
    const slots = new EstimatedConcurrency();
    slots.read(counted(0, 1, 3, 1), { load: 4 });
    slots.read(counted(50, 4, 3, 4), { load: 7 });
    expect(slots.count).toBe(firstSlots);
  });

  it("slots of a server are as many as run where others wait whenever it is read, however many came and went", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 4; at += 1) slots.read(counted(500 * at, 4, 4, 20 * at), { load: 8 });
    expect(slots.count).toBe(4);
  });

  it("slots of a server are as many as run where its readings stay the same while requests wait", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at <= 1_000; at += 50) slots.read(counted(at, 5, 6), { load: 11 });
    expect(slots.count).toBe(5);
  });

  it("slots of a server are not fewer where answers end in the step in which they begin", () => {
    const slots = new EstimatedConcurrency();
    for (let step = 1; step < 20; step += 1) {
      const page = metrics({ at: 100 * step, runningRequests: 0, waitingRequests: firstSlots });
      slots.read(page, { load: firstSlots, ended: firstSlots * step });
    }
    expect(slots.count).toBe(firstSlots);
  });

  it("slots of a server become more, slowly, where readings see none of what was sent", () => {
    const slots = new EstimatedConcurrency();
    const unseen = (at: number) =>
      slots.read(metrics({ at, runningRequests: 0 }), { load: slots.count });
    const seen = [0, 400, 500, 600, 900, 1_000].map((at) => {
      unseen(at);
      return slots.count - firstSlots;
    });
    expect(seen).toEqual([0, 0, 1, 1, 1, 2]);
  });

  it("slots of a server stay as many where they are all used now and then, and what was sent last is not seen yet", () => {
    const slots = new EstimatedConcurrency();
    for (let at = 0; at < 5_000; at += 400) {
      slots.read(metrics({ at, runningRequests: firstSlots - 1 }), { load: firstSlots });
      slots.read(metrics({ at: at + 200, runningRequests: 5 }), { load: 5 });
    }
    expect(slots.count).toBe(firstSlots);
  });

  it("a slot of a server is none where a request waits for it through two steps, and what shows these is that answers go on", () => {
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

  it("slots of a server do not become more while a request is seen to wait there now and then", () => {
    const slots = new EstimatedConcurrency();
    const read = (at: number, runningRequests: number, waitingRequests: number) =>
      slots.read(metrics({ at, runningRequests, waitingRequests }), { load: firstSlots });
    // The server works on fewer requests than there are slots, by one.
    for (let at = 0; at < 5_000; at += 200) {
      read(at, firstSlots - 1, 1);
      for (const later of [50, 100, 150]) read(at + later, firstSlots - 1, 0);
    }
    expect(slots.count).toBe(firstSlots);
  });

  it("slots of a server are no more than an eighth beyond what ever ran, although others use more than there are here", () => {
    const slots = new EstimatedConcurrency();
    // Two wait through: the limit is seen, and it was wrong.
    for (let at = 0; at < 2; at += 1) slots.read(counted(500 * at, 4, 4, at), { load: firstSlots });
    for (let running = 5; running <= 24; running += 1) {
      slots.read(counted(1_000 + 50 * running, running, 0, running), { load: running });
      expect(slots.count).toBeLessThanOrEqual(running + Math.max(1, Math.floor(running / 8)));
    }
    expect(slots.count).toBeGreaterThanOrEqual(24);
  });

  it("slots of a server are hardly ever more than it works on while some are left unused", () => {
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

  it("slots of a server are about as many as it works on at once, whatever part of them is used", () => {
    const parts = fc.double({ min: 0.5, max: 1, noNaN: true });
    const sizes = fc.integer({ min: 4, max: 64 });
    fc.assert(
      fc.property(sizes, parts, fc.integer(), (limit, usable, seed) => {
        const learnt = learntOf({ limit, usable, seed, seconds: 15 });
        expect(learnt).toBeGreaterThanOrEqual(Math.floor(0.9 * limit) - 1);
        // Those that are not used were never seen, so that there may be more of them.
        expect(learnt).toBeLessThanOrEqual(Math.ceil((1.125 * limit) / usable) + 2);
      }),
      { numRuns: 20 },
    );
  });
});

/** What is learnt of a model server whose slots are used in part, all the time: every request that ends gives way to another. */
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
