import type { RolloutGate } from "../spec/service-rollout.ts";
import { exceedsChance } from "./chance.ts";
import type { GateCounts } from "./gate.ts";

/** Errors of the new replicas, as far as their clients did not cause them. */
export interface ErrorJudgement {
  /** Responses of the new replicas that are evidence. */
  readonly responses: number;
  /** Why the new template fails. */
  readonly failure?: string;
  /** Why the new replicas can neither fail nor pass. */
  readonly unclear?: string;
}

/** Returns the highest share of errors that the other replicas can excuse. */
const highestExcuse = (limit: number): number => Math.max(0.05, 5 * limit);

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
 * If most responses are left out and too many are errors, the result is unclear.
 */
export function judgeErrors(gate: RolloutGate, counts: GateCounts): ErrorJudgement {
  const limit = gate.maxErrorPercent / 100;
  const groups = evidenceOf(limit, counts);
  const evidence = withoutOutlier(groups, limit);
  const { responses } = sumOf(evidence);
  for (const judged of [evidence, withoutLargest(groups)].map(sumOf))
    if (exceedsChance(judged.errors, judged.permitted))
      return { responses, failure: failureOf(judged, limit) };
  const { updated } = counts;
  const isUnclear =
    sumOf(groups).responses * 2 < updated.responses &&
    exceedsChance(updated.errors, limit * updated.responses);
  if (!isUnclear) return { responses };
  const highest = percent(highestExcuse(limit));
  return {
    responses,
    unclear: `${updated.errors} of ${updated.responses} responses of the new replicas are errors, and so are more than ${highest} of the responses of the other replicas to the same clients`,
  };
}

/** Returns the groups whose requests do not fail on the other replicas. */
function evidenceOf(limit: number, { updated, others, before }: GateCounts): OfClients[] {
  const highest = highestExcuse(limit);
  return updated.clientResponses.flatMap((responses, at) => {
    const reference = (others.clientResponses[at] ?? 0) > 0 ? others : before;
    const [answered = 0, failed = 0] = [reference.clientResponses[at], reference.clientErrors[at]];
    if (responses === 0 || exceedsChance(failed, highest * answered)) return [];
    const share = Math.min(highest, Math.max(limit, answered === 0 ? 0 : failed / answered));
    return [{ responses, errors: updated.clientErrors[at] ?? 0, permitted: share * responses }];
  });
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

/** Leaves out the largest group, and of the others the one with the most errors too many. */
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

const failureOf = ({ responses, errors, permitted }: OfClients, limit: number): string =>
  `${errors} of ${responses} responses of the new replicas are errors (${percent(errors / responses)}), more than ${percent(permitted / responses)}, the ${permitted > limit * responses ? "share of the other replicas" : "limit"}`;

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
