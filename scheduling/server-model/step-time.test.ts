import { describe, expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { StepTime } from "./step-time.ts";

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
