import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { StepTime, TokenPace } from "./step-time.ts";

/** An engine that is read every 50 ms; `read` gives a reading with two answers and so many tokens of answers. */
function engine() {
  const step = new StepTime();
  let at = 0;
  const read = (generatedTokens: number | undefined, runningRequests = 2) => {
    at += 50;
    return step.read(metrics({ at, runningRequests, generatedTokens }));
  };
  /** An engine whose steps take so many milliseconds, for a second. Returns how many readings found one long. */
  const work = (stepMs: number, from: number) => {
    const found = Array.from({ length: 20 }, (_, nth) =>
      read(from + 2 * Math.floor((50 * nth) / stepMs)),
    );
    return found.filter((isLong) => isLong).length;
  };
  return { step, read, work };
}

describe("the step of an engine", () => {
  it("is long while no answer gets a token for twice the time of a step", () => {
    const { read, work, step } = engine();
    expect(work(10, 0)).toBe(0);
    expect(read(190)).toBe(true);
    expect(step.since).toBe(1_000);
    expect(read(192)).toBe(false);
    expect(step.since).toBe(1_100);
  });

  it("is not long where steps take longer than the time between two readings", () => {
    const { read, work } = engine();
    expect(work(80, 0)).toBe(0);
    expect(work(80, 26)).toBe(0);
    for (const isLong of [false, false, false, false, true]) expect(read(50)).toBe(isLong);
  });

  it("is nothing that shows where no answer runs, or the server does not count tokens", () => {
    const { read, work } = engine();
    work(10, 0);
    for (let reading = 0; reading < 5; reading += 1) expect(read(190, 0)).toBe(false);
    const untold = engine();
    for (let reading = 0; reading < 5; reading += 1) expect(untold.read(undefined)).toBe(false);
  });
});

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
