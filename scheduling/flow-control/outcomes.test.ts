import { expect, it } from "vitest";
import { outcomes, type Refusal, refusalError } from "./outcomes.ts";

const told: Record<Refusal["outcome"], readonly [status: number, reason: string]> = {
  RejectedCapacity: [429, "rejected-saturated"],
  RejectedNoEndpoints: [503, "rejected-no-endpoints"],
  EvictedTTL: [429, "rejected-ttl-expired"],
  EvictedNoEndpoints: [503, "rejected-no-endpoints"],
  EvictedContextCancelled: [503, "rejected-context-cancelled"],
  RejectedOther: [503, "rejected-shutting-down"],
  EvictedOther: [503, "rejected-shutting-down"],
};

it("every outcome has upstream's status and reason", () => {
  const names = Object.keys(outcomes) as Refusal["outcome"][];
  const found = names.map((outcome) => {
    const { status, reason } = refusalError({ outcome, retryAfter: undefined });
    return [outcome, [status, reason]];
  });
  expect(Object.fromEntries(found)).toEqual(told);
});

it("a refusal contains Retry-After", () => {
  expect(refusalError({ outcome: "EvictedTTL", retryAfter: 7 }).retryAfter).toBe(7);
});
