import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { StepTime, TokenPace } from "./step-time.ts";

/**
 * An engine that is read every 50 ms. `read` takes its generated tokens and running responses, and returns whether the
 * step is long.
 */
function engine() {
  const step = new StepTime();
  let at = 0;
  const read = (generatedTokens: number | undefined, runningRequests = 2) => {
    at += 50;
    return step.read(metrics({ at, runningRequests, generatedTokens }));
  };
  /** Reads an engine with steps of `stepMs` ms for a second. Returns the number of readings that found a long step. */
  const work = (stepMs: number, from: number) => {
    const found = Array.from({ length: 20 }, (_, nth) =>
      read(from + 2 * Math.floor((50 * nth) / stepMs)),
    );
    return found.filter((isLong) => isLong).length;
  };
  return { step, read, work };
}

describe("StepTime", () => {
  it("reports a long step when no response gets a token for twice the usual time", () => {
    const { read, work, step } = engine();
    expect(work(10, 0)).toBe(0);
    expect(read(190)).toBe(true);
    expect(step.since).toBe(1_000);
    expect(read(192)).toBe(false);
    expect(step.since).toBe(1_100);
  });

  it("reports no long step if all steps take longer than the time between two readings", () => {
    const { read, work } = engine();
    expect(work(80, 0)).toBe(0);
    expect(work(80, 26)).toBe(0);
    for (const isLong of [false, false, false, false, true]) expect(read(50)).toBe(isLong);
  });

  it("reports no long step if no response runs or the server does not count tokens", () => {
    const { read, work } = engine();
    work(10, 0);
    for (let reading = 0; reading < 5; reading += 1) expect(read(190, 0)).toBe(false);
    const untold = engine();
    for (let reading = 0; reading < 5; reading += 1) expect(untold.read(undefined)).toBe(false);
  });
});

/** Returns the pace of a server that adds a token to each response in each step, read every 50 ms for two seconds. */
function paceOf(answers: number, stepMs: number): number {
  const pace = new TokenPace();
  let last = 0;
  for (let at = 0; at <= 2_000; at += 50) {
    const generatedTokens = answers * Math.floor(at / stepMs);
    last = pace.read(metrics({ at, runningRequests: answers, generatedTokens }));
  }
  return last;
}

it("TokenPace is the time of a step for any number of responses", () => {
  expect(paceOf(1, 25)).toBeCloseTo(25, 0);
  expect(paceOf(40, 25)).toBeCloseTo(25, 0);
  expect(paceOf(8, 80)).toBeGreaterThan(70);
});

it("TokenPace is 0 before two readings, without responses, and without token counts", () => {
  const pace = new TokenPace();
  expect(pace.read(metrics({ at: 0, runningRequests: 1, generatedTokens: 5 }))).toBe(0);
  expect(pace.read(metrics({ at: 50, runningRequests: 1 }))).toBe(0);
  const idle = new TokenPace();
  idle.read(metrics({ at: 0, generatedTokens: 5 }));
  expect(idle.read(metrics({ at: 50, generatedTokens: 5 }))).toBe(0);
});

it("TokenPace ignores a token count that falls when the server restarts", () => {
  const pace = new TokenPace();
  pace.read(metrics({ at: 0, runningRequests: 2, generatedTokens: 500 }));
  pace.read(metrics({ at: 50, runningRequests: 2, generatedTokens: 504 }));
  expect(pace.read(metrics({ at: 100, runningRequests: 2, generatedTokens: 0 }))).toBeGreaterThan(
    25,
  );
});
