import { describe, expect, it } from "vitest";
import { ServiceRollout } from "../spec/service-rollout.ts";
import {
  firstTokenBin,
  medianFirstToken,
  noResponses,
  type ResponseCounts,
  since,
} from "./endpoint-responses.ts";
import { gateFailure, gateState } from "./gate.ts";

const gate = ServiceRollout.parse({ gate: {} }).gate as NonNullable<
  ReturnType<typeof ServiceRollout.parse>["gate"]
>;

function counts(responses: number, errors: number, seconds?: number): ResponseCounts {
  const firstTokens = [...noResponses.firstTokens];
  if (seconds !== undefined) firstTokens[firstTokenBin(seconds)] = responses;
  return { requests: responses, responses, errors, firstTokens };
}

const none = { updated: noResponses, others: noResponses, before: noResponses };

describe("gateFailure", () => {
  it.each([
    ["has no response yet", counts(0, 0), counts(1000, 0), undefined],
    ["has an error that chance explains", counts(50, 1), counts(1000, 0), undefined],
    ["has the permitted share of errors", counts(10_000, 100), counts(1000, 0), undefined],
    [
      "has more errors than the limit",
      counts(50, 5),
      counts(1000, 0),
      "5 of 50 responses of the new replicas are errors (10 %), more than 1 %, the limit",
    ],
    [
      "has only errors, in many responses",
      counts(75_000, 75_000),
      counts(1000, 0),
      "all 75000 responses of the new replicas are errors",
    ],
    [
      "has only errors, as the others",
      counts(50, 50),
      counts(100, 100),
      "all 50 responses of the new replicas are errors",
    ],
    [
      "has more errors than the limit in a million responses",
      counts(1_000_000, 10_400),
      counts(1000, 0),
      "10400 of 1000000 responses of the new replicas are errors (1 %), more than 1 %, the limit",
    ],
    [
      "has errors that chance explains in a million responses",
      counts(1_000_000, 10_100),
      counts(1000, 0),
      undefined,
    ],
    ["has as many errors as the others", counts(50, 5), counts(100, 10), undefined],
    [
      "has more errors than the others",
      counts(50, 20),
      counts(100, 10),
      "20 of 50 responses of the new replicas are errors (40 %), more than 10 %, the share of the other replicas",
    ],
    ["is as fast as the others", counts(100, 0, 0.3), counts(100, 0, 0.3), undefined],
    [
      "is slower than the limit",
      counts(100, 0, 0.9),
      counts(100, 0, 0.3),
      "the median time to the first token of the new replicas is 1034 ms, 3.1 times the 339 ms of the other replicas; the limit is 2 times",
    ],
    ["is slower in too few responses", counts(49, 0, 0.9), counts(100, 0, 0.3), undefined],
  ])("reports a failure only if the new template %s", (_, updated, others, failure) => {
    expect(gateFailure(gate, { updated, others, before: noResponses })).toBe(failure);
  });

  it("compares with the time before the rollout if all replicas were updated at once", () => {
    const slow = { updated: counts(50, 0, 0.9), others: counts(10, 0, 0.3) };
    expect(gateFailure(gate, { ...slow, before: counts(500, 0, 0.3) })).toMatch(
      /3\.1 times the 339 ms of the replicas before the rollout/,
    );
    expect(gateFailure(gate, { ...slow, before: counts(500, 0, 0.9) })).toBe(undefined);
  });

  it("stops fewer than 2 of 100 rollouts with the permitted share of errors in 100 checks", () => {
    // A generator of equal numbers in every run.
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    let stopped = 0;
    for (let run = 0; run < 500; run += 1) {
      let errors = 0;
      for (let check = 1; check <= 100; check += 1) {
        for (let each = 0; each < 10; each += 1) errors += Number(random() < 0.01);
        if (gateFailure(gate, { ...none, updated: counts(check * 10, errors) })) {
          stopped += 1;
          break;
        }
      }
    }
    expect(stopped / 500).toBeLessThan(0.02);
  });
});

const silent = {
  failure: "the new replicas got 3 requests and began no response within 240 s",
};

it.each([
  [60, 49, 119_000, "closed"],
  [60, 50, 0, "open"],
  [60, 1, 120_000, "open"],
  [0, 0, 120_000, "open"],
  [3, 0, 120_000, "closed"],
  [3, 0, 240_000, silent],
] as const)(
  "after %i requests and %i responses in %i ms, the gate is %o",
  (requests, responses, waited, state) => {
    expect(gateState(gate, { requests, responses }, waited)).toEqual(state);
  },
);

it.each([0.01, 0.3, 4, 90])("the median of %d s is accurate to 25 %%", (seconds) => {
  const median = medianFirstToken(counts(10, 0, seconds)) as number;
  expect(median / seconds).toBeGreaterThanOrEqual(1);
  expect(median / seconds).toBeLessThanOrEqual(1.25);
});

it("counts the responses of a picker that restarted from zero", () => {
  expect(since(counts(100, 3), counts(110, 4)).responses).toBe(10);
  expect(since(counts(100, 3), counts(8, 1))).toEqual(counts(8, 1));
});
