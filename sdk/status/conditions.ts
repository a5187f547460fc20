import type { z } from "zod";
import type { Condition as schema } from "../../kubernetes/kinds/field-types.ts";
import type { FindingOf, ReasonTable } from "./reasons.ts";

export type Condition = z.infer<typeof schema>;

/** Time of a status, and the generation of the spec that it describes. */
export interface Moment {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly generation: number | undefined;
}

/**
 * Returns the conditions to write. `lastTransitionTime` is the time at which the condition's status last changed.
 *
 * @param table conditions of the kind; conditions of other types belong to other controllers and are kept
 * @param findings current state; conditions of the kind without a finding are removed
 * @param previous the current conditions of the object
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

/** Longest message, in characters. The API allows 32,768, which is too long to read. */
const maxMessage = 1_000;
const shortened = (text: string) =>
  text.length > maxMessage ? `${text.slice(0, maxMessage - 3)}...` : text;

/** Formats a time as Kubernetes does: RFC 3339, whole seconds. */
export const timestampOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

export const later = (moment: string, seconds: number): string =>
  timestampOf(Date.parse(moment) + seconds * 1000);

/** Formats names as `a, b, c and 4 more`. */
export function listed(names: readonly string[], most = 3): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
}
