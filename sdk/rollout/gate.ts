import type { RolloutGate } from "../spec/service-rollout.ts";
import { medianFirstToken, type ResponseCounts, streamedOf } from "./endpoint-responses.ts";

/** Responses of the replicas with the new template, and of the other replicas, during a rollout. */
export interface GateCounts {
  readonly updated: ResponseCounts;
  readonly others: ResponseCounts;
  /** Responses of all replicas before the rollout, since their picker started. */
  readonly before: ResponseCounts;
}

/**
 * Probability with which a number of errors occurs by chance at the permitted share. The gate is judged every 2 s. With
 * 100 checks, 0.01 stops 5 of 100 rollouts that have exactly the permitted share of errors, and 0.001 fewer than one.
 */
const chance = 0.001;

/**
 * Returns why the new template fails its gate, or undefined if it does not.
 *
 * Errors: the number of errors of the new replicas is higher than chance explains at the permitted share, or at the
 * share of the other replicas in the same time if that is higher, or all of `minResponses` are errors. Latency: the ratio
 * of both medians exceeds its limit. It is compared when both groups have `minResponses` streamed responses. If all
 * replicas are updated before the others have `minResponses`, the responses before the rollout replace theirs.
 */
export function gateFailure(
  gate: RolloutGate,
  { updated, others, before }: GateCounts,
): string | undefined {
  const permitted = Math.max(gate.maxErrorPercent / 100, shareOfErrors(others));
  if (updated.responses >= gate.minResponses && updated.errors === updated.responses)
    return `all ${updated.responses} responses of the new replicas are errors`;
  if (updated.errors > 0 && atLeast(updated.errors, permitted * updated.responses) < chance)
    return `${updated.errors} of ${updated.responses} responses of the new replicas are errors (${percent(shareOfErrors(updated))}), more than ${percent(permitted)}, the ${permitted > gate.maxErrorPercent / 100 ? "share of the other replicas" : "limit"}`;
  const enough = (counts: ResponseCounts) => streamedOf(counts) >= gate.minResponses;
  const [base, name] = enough(others)
    ? [others, "the other replicas"]
    : [before, "the replicas before the rollout"];
  if (!enough(updated) || !enough(base)) return undefined;
  const [next = 0, usual = 0] = [medianFirstToken(updated), medianFirstToken(base)];
  const ratio = next / usual;
  if (ratio <= gate.maxFirstTokenRatio) return undefined;
  return `the median time to the first token of the new replicas is ${ms(next)}, ${ratio.toFixed(1)} times the ${ms(usual)} of ${name}; the limit is ${gate.maxFirstTokenRatio} times`;
}

/** Requests and responses of the new replicas since an update. */
export type SinceUpdate = Pick<ResponseCounts, "requests" | "responses">;

/**
 * Returns whether the next replica may be updated, or why not at all. If no response begins in `waitSeconds`, the
 * requests of that time get as long again.
 */
export function gateState(
  { minResponses, waitSeconds }: RolloutGate,
  { requests, responses }: SinceUpdate,
  waitedMs: number,
): "open" | "closed" | { readonly failure: string } {
  if (responses >= minResponses) return "open";
  if (waitedMs < waitSeconds * 1000) return "closed";
  if (responses > 0 || requests === 0) return "open";
  if (waitedMs < 2 * waitSeconds * 1000) return "closed";
  return {
    failure: `the new replicas got ${requests} requests and began no response within ${2 * waitSeconds} s`,
  };
}

const shareOfErrors = ({ errors, responses }: ResponseCounts): number =>
  responses === 0 ? 0 : errors / responses;

/**
 * Returns the probability of at least `count` events if `expected` are expected (Poisson). It adds the terms from
 * `count` on, the first one by its logarithm: `exp(-expected)` is 0 beyond 745.
 */
function atLeast(count: number, expected: number): number {
  if (count <= expected) return 1;
  let logarithm = -expected;
  for (let at = 1; at <= count; at += 1) logarithm += Math.log(expected / at);
  let term = Math.exp(logarithm);
  let sum = 0;
  for (let at = count; term > sum * 1e-12; at += 1) {
    sum += term;
    term *= expected / (at + 1);
  }
  return sum;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
const ms = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;
