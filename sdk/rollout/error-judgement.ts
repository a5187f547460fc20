import type { RolloutGate } from "../spec/service-rollout.ts";
import { exceedsChance } from "./chance.ts";
import type { GateCounts } from "./gate.ts";

/** Errors of the new replicas, as far as their clients did not cause them. */
export interface ErrorJudgement {
  /** Responses of the new replicas that are evidence. */
  readonly responses: number;
  /** Whether there are more errors than permitted. Chance explains them unless `failure` is set. */
  readonly isSuspicious: boolean;
  /** Why the new template fails. */
  readonly failure?: string;
  /** Why the new replicas can neither fail nor pass. */
  readonly unclear?: string;
}

/** Responses below which errors are unclear: one client can send all of them. */
const fewest = 20;

/** Returns the highest share of errors that the other replicas can excuse. */
export const highestExcuse = (limit: number): number => Math.max(0.05, 5 * limit);

/** Responses of the clients of one group. */
interface OfClients {
  readonly responses: number;
  readonly errors: number;
  /** Number of errors that the limit, or the errors of the other replicas, permit. */
  readonly permitted: number;
}

/**
 * Judges the errors of the new replicas by groups of clients. Clients can send requests that always fail, and can choose
 * replicas by the prefix of a prompt, so one group decides nothing:
 *
 * - A group may have the share of errors that it has on the other replicas, if this is higher than the limit, up to 5 %
 *   or five times the limit. Errors on other replicas excuse no errors of other groups.
 * - A group with a higher share there is left out: its requests fail everywhere.
 * - The group that has by far the highest share is left out, unless it has most of the responses.
 * - The largest group hides no errors: the template also fails without it, if two other groups have too many.
 *
 * If most responses are left out and too many are errors, or there are few responses, the result is unclear.
 */
export function judgeErrors(gate: RolloutGate, counts: GateCounts): ErrorJudgement {
  const limit = gate.maxErrorPercent / 100;
  const groups = evidenceOf(limit, counts);
  const evidence = withoutOutlier(groups, limit);
  const { responses, errors, permitted } = sumOf(evidence);
  const judgement = { responses, isSuspicious: errors > permitted };
  for (const judged of [evidence, withoutLargest(groups)].map(sumOf)) {
    if (!exceedsChance(judged.errors, judged.permitted)) continue;
    const reason = reasonOf(judged, limit);
    if (judged.responses >= Math.min(fewest, gate.minResponses))
      return { ...judgement, failure: reason };
    return { ...judgement, unclear: `${reason}, in fewer than ${fewest} responses` };
  }
  const { updated } = counts;
  const isUnclear =
    sumOf(groups).responses * 2 < updated.responses &&
    exceedsChance(updated.errors, limit * updated.responses);
  if (!isUnclear) return judgement;
  const highest = percent(highestExcuse(limit));
  return {
    ...judgement,
    unclear: `${updated.errors} of ${updated.responses} responses of the new replicas are errors, and so are more than ${highest} of the responses of the other replicas to the same clients`,
  };
}

/** Returns the groups whose requests do not fail on the other replicas. */
function evidenceOf(limit: number, counts: GateCounts): OfClients[] {
  const highest = highestExcuse(limit);
  const { updated } = counts;
  return updated.clientResponses.flatMap((responses, at) => {
    const errors = updated.clientErrors[at] ?? 0;
    const [answered, failed] = referenceOf(at, limit, counts);
    if (responses === 0 || exceedsChance(failed, highest * answered)) return [];
    // The share of few responses is inaccurate, so the responses of the new replicas count as well.
    const isHigh = exceedsChance(failed, limit * answered, 0.1);
    const share = isHigh ? (failed + errors) / (answered + responses) : limit;
    return [
      { responses, errors, permitted: Math.min(highest, Math.max(limit, share)) * responses },
    ];
  });
}

/**
 * Returns the responses and errors of the other replicas to a group. The time before the rollout counts as well, unless
 * the errors since then are more than chance explains at the limit, as in a busy hour.
 */
function referenceOf(at: number, limit: number, { others, before }: GateCounts): [number, number] {
  const [answered = 0, failed = 0] = [others.clientResponses[at], others.clientErrors[at]];
  if (exceedsChance(failed, limit * answered)) return [answered, failed];
  return [answered + (before.clientResponses[at] ?? 0), failed + (before.clientErrors[at] ?? 0)];
}

/** Leaves out the group with the most errors too many if the others do not have them, and have more responses. */
function withoutOutlier(groups: readonly OfClients[], limit: number): readonly OfClients[] {
  const [worst, ...others] = groups.toSorted(byExcess);
  const { responses, errors } = sumOf(others);
  if (worst === undefined || responses < worst.responses) return groups;
  const share = Math.max(limit, errors / responses);
  const expected = Math.max(worst.permitted, share * worst.responses);
  return exceedsChance(worst.errors, expected) ? others : groups;
}

/** Leaves out two groups: the largest, and the group with the most excess errors among the rest. */
function withoutLargest(groups: readonly OfClients[]): readonly OfClients[] {
  const [, ...others] = groups.toSorted((a, b) => b.responses - a.responses);
  return others.sort(byExcess).slice(1);
}

const byExcess = (a: OfClients, b: OfClients): number => excessOf(b) - excessOf(a);
const excessOf = ({ errors, permitted }: OfClients): number => errors - permitted;

const sumOf = (groups: readonly OfClients[]): OfClients =>
  groups.reduce(
    (sum, { responses, errors, permitted }) => ({
      responses: sum.responses + responses,
      errors: sum.errors + errors,
      permitted: sum.permitted + permitted,
    }),
    { responses: 0, errors: 0, permitted: 0 },
  );

const reasonOf = ({ responses, errors, permitted }: OfClients, limit: number): string =>
  `${errors} of ${responses} responses of the new replicas are errors (${percent(errors / responses)}), more than ${percent(permitted / responses)}, the ${permitted > limit * responses ? "share of the other replicas" : "limit"}`;

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
