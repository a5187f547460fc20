import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.Queue;

/**
 * A Queue (`scheduling.volcano.sh/v1beta1`): a share of the cluster that PodGroups draw from. Cluster-scoped.
 */
export class Queue extends TypedObject<typeof facts, QueueSpec, QueueStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** What the controllers last reported; undefined before they have seen the object. */
  declare readonly status: pulumi.Output<QueueStatus | undefined>;

  constructor(name: string, args?: QueueArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type QueueArgs = ObjectArgs<QueueSpec>;

export interface QueueSpec {
  /** Share against other queues. Default 1. */
  weight?: pulumi.Input<number>;
  /** The most that the queue may use, by resource. */
  capability?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** What the queue is meant to use, by resource; more can be reclaimed. */
  deserved?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** What is kept for the queue, by resource. */
  guarantee?: pulumi.Input<{
    resource?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  }>;
  /** Whether others may take back what the queue uses beyond its share. */
  reclaimable?: pulumi.Input<boolean>;
  priority?: pulumi.Input<number>;
  parent?: pulumi.Input<string>;
  type?: pulumi.Input<string>;
  /** Default traverse. */
  dequeueStrategy?: pulumi.Input<"fifo" | "traverse">;
  affinity?: pulumi.Input<Record<string, unknown>>;
  extendClusters?: pulumi.Input<pulumi.Input<Record<string, unknown>>[]>;
}

export interface QueueStatus {
  /** PodGroups can be submitted only while it is Open. */
  state?: "Open" | "Closed" | "Closing" | "Unknown";
  pending?: number;
  inqueue?: number;
  running?: number;
  completed?: number;
  unknown?: number;
  allocated?: Record<string, string>;
}
