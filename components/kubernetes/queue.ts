import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { kindOptions, type ObjectMeta } from "./kind-options.ts";
import { objectInputs } from "./object-inputs.ts";

const facts = kinds.Queue;

/**
 * A Queue (`scheduling.volcano.sh/v1beta1`): a share of the cluster that PodGroups draw from. Cluster-scoped.
 */
export class Queue extends pulumi.CustomResource {
  static readonly __pulumiType = `kubernetes:${facts.apiVersion}:${facts.kind}` as const;

  declare readonly apiVersion: pulumi.Output<typeof facts.apiVersion>;
  declare readonly kind: pulumi.Output<typeof facts.kind>;
  declare readonly metadata: pulumi.Output<types.output.meta.v1.ObjectMeta>;
  declare readonly spec: pulumi.Output<pulumi.Unwrap<QueueSpec>>;
  /** What the controllers last reported; undefined before they have seen the object. */
  declare readonly status: pulumi.Output<QueueStatus | undefined>;

  /** Reads an existing object. `id` is `name`. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): Queue {
    return new Queue(name, undefined, { ...opts, id });
  }

  /** Whether a value is a Queue, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is Queue {
    return (
      (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType === Queue.__pulumiType
    );
  }

  constructor(name: string, args?: QueueArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      Queue.__pulumiType,
      name,
      objectInputs(facts, args, opts),
      kindOptions(facts, args?.metadata, opts),
    );
  }
}

export interface QueueArgs {
  metadata?: pulumi.Input<ObjectMeta>;
  spec: pulumi.Input<QueueSpec>;
}

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
