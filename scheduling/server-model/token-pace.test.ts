import { expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { TokenPace } from "./token-pace.ts";

/** A server that gives out a token of each of some answers in each of its steps, read every 50 ms for two seconds. */
function paceOf(answers: number, stepMs: number): number {
  const pace = new TokenPace();
  let last = 0;
  for (let at = 0; at <= 2_000; at += 50) {
    const generatedTokens = answers * Math.floor(at / stepMs);
    last = pace.read(metrics({ at, runningRequests: answers, generatedTokens }));
  }
  return last;
}

it("the pace of a server is the time of a step, however many answers it writes", () => {
  expect(paceOf(1, 25)).toBeCloseTo(25, 0);
  expect(paceOf(40, 25)).toBeCloseTo(25, 0);
  expect(paceOf(8, 80)).toBeGreaterThan(70);
});

it("the pace of a server is unknown before two readings, without answers, and if it counts no tokens", () => {
  const pace = new TokenPace();
  expect(pace.read(metrics({ at: 0, runningRequests: 1, generatedTokens: 5 }))).toBe(0);
  expect(pace.read(metrics({ at: 50, runningRequests: 1 }))).toBe(0);
  const idle = new TokenPace();
  idle.read(metrics({ at: 0, generatedTokens: 5 }));
  expect(idle.read(metrics({ at: 50, generatedTokens: 5 }))).toBe(0);
});

it("the pace of a server that starts anew counts no tokens that are taken back", () => {
  const pace = new TokenPace();
  pace.read(metrics({ at: 0, runningRequests: 2, generatedTokens: 500 }));
  pace.read(metrics({ at: 50, runningRequests: 2, generatedTokens: 504 }));
  expect(pace.read(metrics({ at: 100, runningRequests: 2, generatedTokens: 0 }))).toBeGreaterThan(
    25,
  );
});
