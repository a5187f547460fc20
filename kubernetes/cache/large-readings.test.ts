import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LargeReadings } from "./large-readings.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate"] });
});
afterEach(() => {
  vi.useRealTimers();
});

let now = 0;
const clock = { now: () => now, cpuMs: () => now };
const pass = (ms: number) => {
  now += ms;
  vi.advanceTimersByTime(ms);
};

/** A reading that takes `costMs`, and records when it started. */
const reading = (costMs: number, bytes = 1) => {
  const began: number[] = [];
  return {
    began,
    bytes,
    read() {
      began.push(now);
      now += costMs;
    },
  };
};

it("the first reading starts in the next turn of the event loop", () => {
  const readings = new LargeReadings(clock);
  const one = reading(1);
  readings.put(one);
  expect(one.began).toHaveLength(0);
  pass(0);
  expect(one.began).toHaveLength(1);
});

it("the pause after a reading grows with the square of its time, up to 10 s", () => {
  for (const [cost, rest] of [
    [0.2, 0],
    [2, 20],
    [10, 500],
    [100, 10_000],
  ] as const) {
    const readings = new LargeReadings(clock);
    const [one, other] = [reading(cost), reading(cost)];
    readings.put(one);
    pass(0);
    readings.put(other);
    const due = now + rest;
    if (rest > 0) pass(rest - 1);
    expect(other.began).toHaveLength(0);
    pass(2);
    expect(other.began[0]).toBeGreaterThanOrEqual(due);
  }
});

it("an object that changes constantly keeps its position and does not delay the others", () => {
  const readings = new LargeReadings(clock);
  const [noisy, quiet] = [reading(10), reading(10)];
  readings.put(noisy);
  pass(0);
  readings.put(noisy);
  readings.put(quiet);
  for (let at = 0; at < 105; at += 1) {
    pass(10);
    readings.put(noisy);
  }
  expect([noisy.began.length, quiet.began.length]).toEqual([2, 1]);
});

it("the oldest reading runs immediately if all waiting readings together have too many bytes", () => {
  const readings = new LargeReadings({ ...clock, mostBytes: 100 });
  const all = [reading(50, 60), reading(50, 30), reading(50, 60)];
  for (const each of all) readings.put(each);
  expect(all.map(({ began }) => began.length)).toEqual([1, 0, 0]);
});

it("a deleted reading does not run, and its bytes no longer count", () => {
  const readings = new LargeReadings({ ...clock, mostBytes: 100 });
  const [gone, other] = [reading(1, 90), reading(1, 90)];
  readings.put(gone);
  readings.delete(gone);
  readings.put(other);
  expect(other.began).toHaveLength(0);
  pass(0);
  expect([gone.began.length, other.began.length]).toEqual([0, 1]);
});
