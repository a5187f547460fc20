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
 * Returns why the new template is too slow, or undefined if it is not: the ratio of both medians exceeds its limit. It is
 * compared when both groups have `minResponses` streamed responses. If all replicas are updated before the others have
 * `minResponses`, the responses before the rollout replace theirs.
 */
export function latencyFailure(
  gate: RolloutGate,
  { updated, others, before }: GateCounts,
): string | undefined {
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

/** Counts since the update of a replica. */
export interface SinceUpdate {
  /** Requests that the new replicas got. */
  readonly requests: number;
  /** Responses that the new replicas began. */
  readonly responses: number;
  /** Responses of the new replicas that are evidence: their clients do not cause the errors. */
  readonly evidence: number;
  /** Responses of the other replicas. */
  readonly others: number;
  /** Whether the new replicas have more errors than permitted, which chance explains so far. */
  readonly isSuspicious: boolean;
}

/**
 * Returns whether the next replica may be updated, or why not at all. Replicas with more errors than permitted wait for
 * more responses until chance does not explain the errors, or for `waitSeconds`. If no response begins in `waitSeconds`, the
 * requests of that time get as long again. Then the new replicas fail if the others responded meanwhile. If they did
 * not, the requests may be the cause.
 */
export function gateState(
  { minResponses, waitSeconds }: RolloutGate,
  { requests, responses, evidence, others, isSuspicious }: SinceUpdate,
  waitedMs: number,
): "open" | "closed" | { readonly failure: string } | { readonly unclear: string } {
  if (evidence >= minResponses && !isSuspicious) return "open";
  if (waitedMs < waitSeconds * 1000) return "closed";
  if (responses > 0 || requests === 0) return "open";
  if (waitedMs < 2 * waitSeconds * 1000) return "closed";
  const silent = `the new replicas got ${requests} requests and began no response within ${2 * waitSeconds} s`;
  return others >= minResponses ? { failure: silent } : { unclear: silent };
}

const ms = (seconds: number): string => `${Math.round(seconds * 1000)} ms`;
