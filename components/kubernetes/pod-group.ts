import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.PodGroup;

/**
 * A PodGroup (`scheduling.volcano.sh/v1beta1`): pods that Volcano starts together or not at all. Pods name it
 * in their annotation `scheduling.k8s.io/group-name`. Create it before them. https://volcano.sh
 */
export class PodGroup extends TypedObject<typeof facts, PodGroupSpec, PodGroupStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** What the scheduler last reported; undefined before it has seen the object. `phase` does not tell readiness. */
  declare readonly status: pulumi.Output<PodGroupStatus | undefined>;

  constructor(name: string, args?: PodGroupArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type PodGroupArgs = ObjectArgs<PodGroupSpec>;

export interface PodGroupSpec {
  /** Pods that must be schedulable before any starts. */
  minMember?: pulumi.Input<number>;
  /** Pods of each task that must be schedulable before any starts. Excludes `subGroupPolicy`. */
  minTaskMember?: pulumi.Input<Record<string, pulumi.Input<number>>>;
  /** Resources that the queue must have before any pod starts. */
  minResources?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** Default `default`. */
  queue?: pulumi.Input<string>;
  priorityClassName?: pulumi.Input<string>;
  networkTopology?: pulumi.Input<NetworkTopology>;
  /** Sub-groups that start whole; needs Volcano 1.14.1. */
  subGroupPolicy?: pulumi.Input<pulumi.Input<PodGroupSubGroup>[]>;
}

export interface PodGroupSubGroup {
  name?: pulumi.Input<string>;
  labelSelector?: pulumi.Input<types.input.meta.v1.LabelSelector>;
  /** Pods of the selection that differ in these labels are in different sub-groups. */
  matchLabelKeys?: pulumi.Input<pulumi.Input<string>[]>;
  /** Pods of a sub-group. Default 1. */
  subGroupSize?: pulumi.Input<number>;
  /** Sub-groups that must be schedulable before any pod starts. Default 0. */
  minSubGroups?: pulumi.Input<number>;
  networkTopology?: pulumi.Input<NetworkTopology>;
}

export interface NetworkTopology {
  /** Default hard. */
  mode?: pulumi.Input<"hard" | "soft">;
  highestTierAllowed?: pulumi.Input<number>;
  /** Excludes `highestTierAllowed`. */
  highestTierName?: pulumi.Input<string>;
}

export interface PodGroupStatus {
  phase?: "Pending" | "Inqueue" | "Running" | "Unknown" | "Completed";
  running?: number;
  succeeded?: number;
  failed?: number;
  /** A history: the newest with status True is the verdict. */
  conditions?: PodGroupCondition[];
}

export interface PodGroupCondition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  transitionID?: string;
}
