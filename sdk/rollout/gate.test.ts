import { describe, expect, it } from "vitest";
import { counts, defaultGate as gate } from "./counts.fixture.ts";
import { medianFirstToken, noResponses } from "./endpoint-responses.ts";
import { gateState, latencyFailure } from "./gate.ts";

describe("latencyFailure", () => {
  const timed = (responses: number, seconds: number) => counts(responses, 0, { seconds });

  it.each([
    ["is as fast as the others", timed(100, 0.3), timed(100, 0.3), undefined],
    [
      "is slower than the limit",
      timed(100, 0.9),
      timed(100, 0.3),
      "the median time to the first token of the new replicas is 1034 ms, 3.1 times the 339 ms of the other replicas; the limit is 2 times",
    ],
    ["is slower in too few responses", timed(49, 0.9), timed(100, 0.3), undefined],
  ])("reports a failure only if the new template %s", (_, updated, others, failure) => {
    expect(latencyFailure(gate, { updated, others, before: noResponses })).toBe(failure);
  });

  it("compares with the time before the rollout if all replicas were updated at once", () => {
    const slow = { updated: timed(50, 0.9), others: timed(10, 0.3) };
    expect(latencyFailure(gate, { ...slow, before: timed(500, 0.3) })).toMatch(
      /3\.1 times the 339 ms of the replicas before the rollout/,
    );
    expect(latencyFailure(gate, { ...slow, before: timed(500, 0.9) })).toBe(undefined);
  });
});

const silent = "the new replicas got 3 requests and began no response within 240 s";

it.each([
  [60, 49, 49, 0, 119_000, "closed"],
  [60, 50, 50, 0, 0, "open"],
  [60, 60, 49, 0, 119_000, "closed"],
  [60, 50, 50, 0, 119_000, "closed", true],
  [60, 50, 50, 0, 120_000, "open", true],
  [60, 1, 1, 0, 120_000, "open"],
  [60, 1, 0, 0, 120_000, "open"],
  [0, 0, 0, 0, 120_000, "open"],
  [3, 0, 0, 50, 120_000, "closed"],
  [3, 0, 0, 50, 240_000, { failure: silent }],
  [3, 0, 0, 49, 240_000, { unclear: silent }],
] as Array<[number, number, number, number, number, unknown, boolean?]>)(
  "after %i requests, %i responses of which %i are evidence, and %i of the others in %i ms, the gate is %o",
  (requests, responses, evidence, others, waited, state, isSuspicious = false) => {
    const since = { requests, responses, evidence, others, isSuspicious };
    expect(gateState(gate, since, waited)).toEqual(state);
  },
);

it.each([0.01, 0.3, 4, 90])("the median of %d s is accurate to 25 %%", (seconds) => {
  const median = medianFirstToken(counts(10, 0, { seconds })) as number;
  expect(median / seconds).toBeGreaterThanOrEqual(1);
  expect(median / seconds).toBeLessThanOrEqual(1.25);
});
