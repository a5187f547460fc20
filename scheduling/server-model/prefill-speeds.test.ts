import { expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { type LiveState, newLiveState } from "../endpoint.ts";
import { PrefillSpeeds } from "./prefill-speeds.ts";

/** Servers that compute so many prompt tokens in a millisecond, and always have more to compute, for two minutes. */
function run(speeds: PrefillSpeeds, ...perMs: readonly number[]): LiveState[] {
  const lives = perMs.map(() => ({ ...newLiveState(), runningTokens: 4_096 }));
  for (let at = 0; at < 120_000; at += 50)
    for (const [index, live] of lives.entries()) {
      live.sentTokens += 50 * (perMs[index] as number);
      live.metrics = metrics({ at });
      speeds.read(live);
    }
  return lives;
}

it("finds the server that takes twice as long as the others", () => {
  const [slow, ...others] = run(new PrefillSpeeds(), 5, 10, 10, 10);
  expect(slow?.slowness).toBeCloseTo(2);
  expect(others.map(({ slowness }) => slowness)).toEqual([1, 1, 1]);
});

it("takes servers for alike that differ by a fifth, and one alone for as fast as any", () => {
  expect(run(new PrefillSpeeds(), 8.4, 10).map(({ slowness }) => slowness)).toEqual([1, 1]);
  expect(run(new PrefillSpeeds(), 5).map(({ slowness }) => slowness)).toEqual([1]);
});

it("believes nothing of a server that had hardly a prompt to compute", () => {
  const speeds = new PrefillSpeeds();
  const idle = newLiveState();
  for (let at = 0; at < 120_000; at += 50) {
    idle.metrics = metrics({ at });
    speeds.read(idle);
  }
  run(speeds, 10);
  expect(idle.slowness).toBe(1);
});

it("forgets servers that are gone", () => {
  const speeds = new PrefillSpeeds();
  run(speeds, 100);
  speeds.retain(new Set());
  expect(run(speeds, 10, 10).map(({ slowness }) => slowness)).toEqual([1, 1]);
});

it("tells how fast a pool is, of the servers that are still there", () => {
  const speeds = new PrefillSpeeds();
  expect(speeds.msPerToken).toBeCloseTo(0.1);
  const [fast, slow] = run(speeds, 10, 2);
  expect(speeds.msPerToken).toBeGreaterThan(0.15);
  speeds.retain(new Set([fast as LiveState]));
  expect(speeds.msPerToken).toBeCloseTo(0.1);
  speeds.retain(new Set([slow as LiveState]));
  expect(speeds.msPerToken).toBeCloseTo(0.1);
});

it("tries a slow server again when it is idle, and forgets the slow answers after a fast one", () => {
  const speeds = new PrefillSpeeds();
  const [slow, ...others] = Array.from({ length: 4 }, newLiveState) as [LiveState, ...LiveState[]];
  const answer = (live: LiveState, at: number, delayMs: number) =>
    speeds.began(live, { at, delayMs, tokens: 100 });
  const slownessAt = (at: number) => {
    slow.metrics = metrics({ at });
    speeds.read(slow);
    return slow.slowness;
  };
  for (let at = 100; at <= 6_400; at += 100) {
    for (const live of others) answer(live, at, 30);
    // It was fast before.
    answer(slow, at, at < 1_000 ? 30 : 300);
  }
  expect(slownessAt(7_000)).toBe(8);
  expect(slownessAt(10_400)).toBe(8);
  expect(slownessAt(10_401)).toBe(1);
  slow.runningRequests = 1;
  expect(slownessAt(10_450)).toBe(8);
  slow.runningRequests = 0;
  answer(slow, 10_500, 30);
  expect(slownessAt(12_000)).toBe(1);
});
