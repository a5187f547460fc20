import { expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { QueuedSteps } from "./queued-steps.ts";

interface Reading {
  readonly run: number;
  readonly wait: number;
  /** Tokens of answers; undefined where the server does not count them. */
  readonly tokens?: number;
  readonly computes?: boolean;
}

/** Steps through which a request had waited after each of some readings, so many milliseconds apart. */
function stepsOf(readings: readonly Reading[], apart = 50): number[] {
  const waited = new QueuedSteps();
  return readings.map(({ run, wait, tokens, computes = false }, read) => {
    const counts = { runningRequests: run, waitingRequests: wait, firstTokens: 100 };
    const page = metrics({ at: apart * read, ...counts, generatedTokens: tokens });
    return waited.read(page, 0, computes).steps;
  });
}

it("counts the steps through which a request waits", () => {
  const reading = (step: number) => ({ run: 8, wait: step === 3 ? 0 : 1, tokens: 8 * step });
  expect(stepsOf([0, 1, 1, 2, 3, 4, 5].map(reading))).toEqual([0, 1, 1, 2, 0, 0, 1]);
});

it("counts no step for a request that came while it lasted", () => {
  const [before, after] = [
    { run: 3, wait: 1, tokens: 3 },
    { run: 4, wait: 1, tokens: 6 },
  ];
  expect(stepsOf([before, after])).toEqual([0, 0]);
});

it("sees a step by time where the server counts no tokens, and not where it does", () => {
  const same = Array.from({ length: 4 }, () => ({ run: 1, wait: 1 }));
  expect(stepsOf(same, 600)).toEqual([0, 1, 2, 3]);
  expect(stepsOf(same, 400)).toEqual([0, 0, 1, 1]);
  const counted = same.map((reading) => ({ ...reading, tokens: 40 }));
  expect(stepsOf(counted, 600)).toEqual([0, 0, 0, 0]);
});

it("counts no step in which prompts were computed, also when the last of them has begun to answer since", () => {
  const reading = (step: number, computes: boolean) => ({
    run: 2,
    wait: 3,
    tokens: step,
    computes,
  });
  const readings = [
    ...[reading(0, true), reading(1, true), reading(2, false)],
    ...[reading(3, false), reading(4, false)],
  ];
  expect(stepsOf(readings)).toEqual([0, 0, 0, 1, 2]);
});
