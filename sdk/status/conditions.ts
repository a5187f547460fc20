import type { z } from "zod";
import type { condition } from "../kubernetes/field-types.ts";

export type Condition = z.infer<typeof condition>;

/** A condition before it is known since when it holds. */
export type Finding = Readonly<Pick<Condition, "type" | "status" | "reason" | "message">>;

/** When a status is made, and of which generation of the spec. */
export interface Moment {
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly generation: number | undefined;
}

/**
 * Conditions as the API keeps them. `lastTransitionTime` is when the status of the condition last changed.
 *
 * @param findings what holds now; a condition of another type that stood before is gone
 * @param previous the conditions that stand
 */
export function conditionsOf(
  findings: readonly Finding[],
  previous: readonly Condition[] | undefined,
  { now, generation }: Moment,
): Condition[] {
  return findings.map(({ type, status, reason, message }) => {
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
