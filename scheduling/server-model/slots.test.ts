import { expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type ModelServerMetrics, newLiveState } from "../endpoints/endpoint.ts";
import { Ended, ServerSlots } from "./slots.ts";

const places = () => {
  const all = new ServerSlots();
  const live = newLiveState();
  let at = 0;
  /** Reads the same running and waiting requests in `steps` steps. Returns the concurrency limit. */
  const read = (
    runningRequests: number,
    waitingRequests: number,
    { steps = 1, ...more }: Partial<ModelServerMetrics> & { readonly steps?: number } = {},
  ) => {
    for (let step = 0; step < steps; step += 1) {
      at += 50;
      const counts = { runningRequests, waitingRequests, firstTokens: 100, generatedTokens: at };
      live.metrics = metrics({ at, ...counts, ...more });
      all.read(live);
    }
    return live.maxConcurrentRequests;
  };
  return { all, live, read };
};

const unlimited = Number.POSITIVE_INFINITY;

it("ServerSlots knows no limit if no request waited, or one waited through a single step", () => {
  const { read } = places();
  expect(read(64, 0, { steps: 20 })).toBe(unlimited);
  expect(read(64, 1, { steps: 2 })).toBe(unlimited);
  expect(read(64, 0)).toBe(unlimited);
});

it("ServerSlots learns the limit when a request waits through two steps, and raises it when more run", () => {
  const { read } = places();
  expect(read(8, 1, { steps: 3 })).toBe(8);
  expect(read(5, 0)).toBe(8);
  expect(read(9, 0)).toBe(9);
  expect(read(7, 2, { steps: 3 })).toBe(7);
});

it("ServerSlots learns no limit from requests that wait behind prompts", () => {
  const { live, read } = places();
  live.runningTokens = 4_096;
  expect(read(2, 3, { steps: 10 })).toBe(unlimited);
  live.computedTokens = 3_100;
  expect(read(2, 3, { steps: 2 })).toBe(unlimited);
  expect(read(2, 3)).toBe(2);
});

it("ServerSlots counts no steps if the reading stays the same", () => {
  const { read } = places();
  expect(read(8, 1, { steps: 9, generatedTokens: 500 })).toBe(unlimited);
});

it("ServerSlots uses the limit that a server reports, and learns none from a server that reports no requests", () => {
  const { read } = places();
  expect(read(1, 0, { maxRunningRequests: 16 })).toBe(16);
  expect(places().read(8, 1, { steps: 9, reportsRequests: false })).toBe(unlimited);
});

it("ServerSlots expects a free slot at the rate at which requests end", () => {
  const { live, read } = places();
  read(8, 0);
  expect(live.msUntilSlot).toBe(0);
  for (let ended = 1; ended <= 40; ended += 1) {
    live.sentRequests = 8 + ended;
    live.runningRequests = 8;
    read(8, 0, { steps: 5 });
  }
  expect(live.msUntilSlot / 250).toBeCloseTo(1, 0);
});

it("Ended returns 0 if no request has ended", () => {
  const ended = new Ended();
  ended.read(0, 50);
  expect(ended.msUntilNext(100)).toBe(0);
});

it("Ended predicts the next free slot from the rate of ended requests, however rarely it is read", () => {
  const ended = new Ended();
  for (let now = 0; now <= 60_000; now += 500) ended.read(Math.floor(now / 250), now);
  expect(ended.msUntilNext(60_000) / 250).toBeCloseTo(1, 1);
});

it("Ended predicts a later slot when requests no longer end", () => {
  const ended = new Ended();
  for (let now = 0; now <= 20_000; now += 250) ended.read(now / 250, now);
  const before = ended.msUntilNext(20_000);
  expect(ended.msUntilNext(30_000)).toBeGreaterThan(2 * before);
});

it("Ended predicts a free slot within ten seconds, however long no request has ended", () => {
  const ended = new Ended();
  ended.read(1, 0);
  for (const hours of [0.1, 2, 10]) expect(ended.msUntilNext(hours * 3_600_000)).toBe(10_000);
});
