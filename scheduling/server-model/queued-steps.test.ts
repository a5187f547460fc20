import { expect, it } from "vitest";
import { metrics } from "../cycles.fixture.ts";
import { QueuedSteps } from "./queued-steps.ts";

interface Reading {
  readonly run: number;
  readonly wait: number;
  /** Generated tokens; undefined if the server does not count them. */
  readonly tokens?: number;
  readonly computes?: boolean;
}

/** Returns the steps through which a request has waited, for each of the readings, which are `apart` ms apart. */
function stepsOf(readings: readonly Reading[], apart = 50): number[] {
  const waited = new QueuedSteps();
  return readings.map(({ run, wait, tokens, computes = false }, read) => {
    const counts = { runningRequests: run, waitingRequests: wait, firstTokens: 100 };
    const page = metrics({ at: apart * read, ...counts, generatedTokens: tokens });
    return waited.read(page, 0, computes).steps;
  });
}

it("QueuedSteps counts the steps through which a request waits", () => {
  const reading = (step: number) => ({ run: 8, wait: step === 3 ? 0 : 1, tokens: 8 * step });
  expect(stepsOf([0, 1, 1, 2, 3, 4, 5].map(reading))).toEqual([0, 1, 1, 2, 0, 0, 1]);
});

it("QueuedSteps does not count the step during which a request arrives", () => {
  const [before, after] = [
    { run: 3, wait: 1, tokens: 3 },
    { run: 4, wait: 1, tokens: 6 },
  ];
  expect(stepsOf([before, after])).toEqual([0, 0]);
});

it("QueuedSteps recognizes steps by time only if the server does not count tokens", () => {
  const same = Array.from({ length: 4 }, () => ({ run: 1, wait: 1 }));
  expect(stepsOf(same, 600)).toEqual([0, 1, 2, 3]);
  expect(stepsOf(same, 400)).toEqual([0, 0, 1, 1]);
  const counted = same.map((reading) => ({ ...reading, tokens: 40 }));
  expect(stepsOf(counted, 600)).toEqual([0, 0, 0, 0]);
});

it("QueuedSteps does not count steps that compute prompts, even if the last prompt is done by the next reading", () => {
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
