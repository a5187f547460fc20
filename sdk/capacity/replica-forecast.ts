/** What would be running of one replica. */
export interface ReplicaForecast {
  readonly role: string;
  readonly index: number;
  readonly scheduledPods: number;
  /** Pods of the whole replica. */
  readonly size: number;
}

/**
 * Full: every replica is whole. Partial: some are, and together they serve. Blocked: nothing serves, because no
 * replica is whole or because prefill or decode is missing.
 */
export type CapacityStatus = "Full" | "Partial" | "Blocked";

export const isWhole = ({ scheduledPods, size }: ReplicaForecast) => scheduledPods === size;
