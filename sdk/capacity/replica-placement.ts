/** Placement of one replica: its pods that would run. */
export interface ReplicaPlacement {
  readonly role: string;
  readonly index: number;
  readonly scheduledPods: number;
  /** Pods of the whole replica. */
  readonly size: number;
}

/**
 * Full: every replica is complete. Partial: some replicas are complete, and together they serve. Blocked: the service
 * does not serve, because no replica is complete or because prefill or decode is missing. Unknown: it would be Blocked,
 * but only because no node has the labels that its pods require, and an autoscaler may add nodes that have them.
 */
export type CapacityStatus = "Full" | "Partial" | "Blocked" | "Unknown";

export const isWhole = ({ scheduledPods, size }: ReplicaPlacement) => scheduledPods === size;
