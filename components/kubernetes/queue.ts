import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { QueueSpec, QueueStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.Queue;

/**
 * Queue (`scheduling.volcano.sh/v1beta1`): a share of the cluster's resources for PodGroups. Cluster-scoped.
 *
 * ```ts
 * new Queue("inference", { metadata: { name: "inference" }, spec: { capability: { "nvidia.com/gpu": 64 } } });
 * ```
 */
export class Queue extends TypedObject<typeof facts, QueueSpec, QueueStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** Status last reported by the controllers; undefined before they have processed the object. */
  declare readonly status: pulumi.Output<QueueStatus | undefined>;

  constructor(name: string, args?: QueueArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type QueueArgs = ObjectArgs<QueueSpec>;
