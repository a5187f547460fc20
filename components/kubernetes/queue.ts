import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { QueueSpec, QueueStatus } from "../generated/kubernetes.ts";
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
