import { describe, expect, it } from "vitest";
import { counts, defaultGate as gate } from "./counts.fixture.ts";
import { noResponses, type ResponseCounts, sumOf as sumOfTwo } from "./endpoint-responses.ts";
import { judgeErrors } from "./error-judgement.ts";

const sumOf = (...counts: ResponseCounts[]) => counts.reduce(sumOfTwo);

const judged = (updated: ResponseCounts, others: ResponseCounts, before = noResponses) =>
  judgeErrors(gate, { updated, others, before });

const outcome = (...pages: Parameters<typeof judged>) => {
  const { failure, unclear } = judged(...pages);
  return failure === undefined ? unclear && "unclear" : "fails";
};

/** Clients of 16 groups, without the group of the attacker. */
const clients = (responses: number, errors: number) =>
  counts(responses, errors, { groups: 16, first: 1 });

describe("judgeErrors", () => {
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
      "75000 of 75000 responses of the new replicas are errors (100 %), more than 1 %, the limit",
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
    ["has as many errors as the others", counts(50, 2), counts(100, 4), undefined],
    [
      "has more errors than the others",
      counts(50, 20),
      counts(100, 4),
      "20 of 50 responses of the new replicas are errors (40 %), more than 5 %, the share of the other replicas",
    ],
  ])("reports a failure only if the new template %s", (_, updated, others, failure) => {
    expect(judged(updated, others).failure).toBe(failure);
  });

  it.each([
    [
      "fails a template with errors of all clients while others get only errors from the old one",
      clients(50, 20),
      sumOf(clients(100, 0), counts(500, 500)),
      "fails",
    ],
    [
      "passes a client whose requests fail everywhere",
      sumOf(clients(50, 0), counts(30, 30)),
      sumOf(clients(100, 0), counts(60, 60)),
      undefined,
    ],
    [
      "passes a client that sends failing requests to the new replicas only",
      sumOf(clients(45, 0), counts(5, 5)),
      clients(500, 0),
      undefined,
    ],
    [
      "fails a template with errors of the client that has most responses",
      sumOf(clients(20, 0), counts(50, 20)),
      clients(500, 0),
      "fails",
    ],
    [
      "fails a template with errors of all clients but one, which has most responses",
      sumOf(clients(160, 64), counts(20_000, 0)),
      clients(500, 0),
      "fails",
    ],
    [
      "fails a template with errors of two clients",
      sumOf(clients(40, 0), counts(10, 10), counts(10, 10, { first: 20 })),
      clients(500, 0),
      "fails",
    ],
    [
      "is unclear if the requests of indistinguishable clients fail everywhere",
      counts(50, 20),
      counts(100, 40),
      "unclear",
    ],
    ["is unclear if errors are in few responses", counts(19, 19), counts(1000, 0), "unclear"],
    [
      "is unclear if all responses of all replicas are errors",
      counts(50, 50),
      counts(9, 9),
      "unclear",
    ],
    [
      "passes new replicas without the errors of the others",
      counts(50, 0),
      counts(100, 40),
      undefined,
    ],
  ])("%s", (_, updated, others, expected) => {
    expect(outcome(updated, others)).toBe(expected);
  });

  it("compares clients with the time before the rollout, unless the others have errors meanwhile", () => {
    expect(outcome(counts(100, 8), noResponses, counts(1000, 40))).toBe(undefined);
    expect(outcome(counts(100, 8), noResponses, counts(1000, 0))).toBe("fails");
    expect(outcome(counts(100, 8), counts(200, 14), counts(1000, 0))).toBe(undefined);
  });

  it("does not count responses of clients whose requests fail everywhere as evidence", () => {
    expect(judged(sumOf(clients(20, 0), counts(60, 60)), counts(60, 60)).responses).toBe(20);
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
        if (outcome(counts(check * 10, errors), noResponses) !== undefined) {
          stopped += 1;
          break;
        }
      }
    }
    expect(stopped / 500).toBeLessThan(0.02);
  });
});
