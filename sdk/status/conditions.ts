import type { z } from "zod";
import type { Condition as schema } from "../../kubernetes/kinds/field-types.ts";
import type { FindingOf, ReasonTable } from "./reasons.ts";

export type Condition = z.infer<typeof schema>;

/** When a status is made, and of which generation of the spec. */
export interface Moment {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly generation: number | undefined;
}

/**
 * Conditions as the API keeps them. `lastTransitionTime` is when the status of the condition last changed.
 *
 * @param table conditions of the kind: those of other types are somebody else's, and stay
 * @param findings what holds now; a condition of the kind that is not among them is gone
 * @param previous the conditions that stand
 */
export function conditionsOf<Table extends ReasonTable>(
  table: Table,
  findings: readonly FindingOf<Table>[],
  previous: readonly Condition[] | undefined,
  { now, generation }: Moment,
): Condition[] {
  const foreign = (previous ?? []).filter(({ type }) => !Object.hasOwn(table, type));
  const own = findings.map(({ type, status, reason, message }): Condition => {
    const before = previous?.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason,
      message: shortened(message),
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  });
  return [...own, ...foreign];
}

/** The API takes 32,768 characters; nobody reads that many. */
const maxMessage = 1_000;
const shortened = (text: string) =>
  text.length > maxMessage ? `${text.slice(0, maxMessage - 3)}...` : text;

/** A moment as Kubernetes writes it. */
export const timestampOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** A moment some seconds after another. */
export const later = (moment: string, seconds: number): string =>
  timestampOf(Date.parse(moment) + seconds * 1000);

/** `a, b, c and 4 more`. */
export function listed(names: readonly string[], most = 3): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
}
