import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition } from "./condition.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.LeaderWorkerSet;

/**
 * A LeaderWorkerSet (`leaderworkerset.x-k8s.io/v1`): groups of pods, each a leader with its workers, that are
 * created, restarted and updated as a unit. https://lws.sigs.k8s.io
 *
 * A change of `subGroupPolicy` or `volumeClaimTemplates` replaces the object, since its controller refuses it;
 * the old object is deleted first, since its pods hold the accelerators.
 */
export class LeaderWorkerSet extends TypedObject<
  typeof facts,
  LeaderWorkerSetSpec,
  LeaderWorkerSetStatus
> {
  static readonly __pulumiType = resourceType(facts);

  /** What the controller last reported; undefined before it has seen the object. */
  declare readonly status: pulumi.Output<LeaderWorkerSetStatus | undefined>;

  constructor(name: string, args?: LeaderWorkerSetArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type LeaderWorkerSetArgs = ObjectArgs<LeaderWorkerSetSpec>;

export interface LeaderWorkerSetSpec {
  /** Groups. Default 1. */
  replicas?: pulumi.Input<number>;
  leaderWorkerTemplate: pulumi.Input<LeaderWorkerTemplate>;
  rolloutStrategy?: pulumi.Input<RolloutStrategy>;
  /** Whether workers are created with the leader or once it is ready. Default LeaderCreated. */
  startupPolicy?: pulumi.Input<"LeaderCreated" | "LeaderReady">;
  networkConfig?: pulumi.Input<NetworkConfig>;
}

export interface LeaderWorkerTemplate {
  /** Pods of a group, leader included. Default 1. */
  size?: pulumi.Input<number>;
  /** Template of the leader. Default: the workers'. */
  leaderTemplate?: pulumi.Input<types.input.core.v1.PodTemplateSpec>;
  workerTemplate: pulumi.Input<types.input.core.v1.PodTemplateSpec>;
  /** What happens to the group when a container restarts. Default RecreateGroupOnPodRestart. */
  restartPolicy?: pulumi.Input<"RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None">;
  /** Sub-groups of a group. Cannot be added, removed or resized later. */
  subGroupPolicy?: pulumi.Input<SubGroupPolicy>;
  volumeClaimTemplates?: pulumi.Input<pulumi.Input<types.input.core.v1.PersistentVolumeClaim>[]>;
  persistentVolumeClaimRetentionPolicy?: pulumi.Input<types.input.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy>;
}

export interface SubGroupPolicy {
  /** Whether the leader is in the first sub-group or outside all. Default LeaderWorker. */
  subGroupPolicyType?: pulumi.Input<"LeaderWorker" | "LeaderExcluded">;
  /** Pods of a sub-group; divides the group's size, or its size without the leader. */
  subGroupSize: pulumi.Input<number>;
}

export interface RolloutStrategy {
  type: pulumi.Input<"RollingUpdate">;
  rollingUpdateConfiguration?: pulumi.Input<RollingUpdateConfiguration>;
}

export interface RollingUpdateConfiguration {
  /** Groups that may be down during an update, a count or a percentage. Default 1. */
  maxUnavailable?: pulumi.Input<number | string>;
  /** Groups above `replicas` during an update, a count or a percentage. Default 0. */
  maxSurge?: pulumi.Input<number | string>;
  /** Groups below this index keep the old template. Default 0. */
  partition?: pulumi.Input<number>;
}

export interface NetworkConfig {
  /** One headless Service for the set, or one for each group. Default Shared. */
  subdomainPolicy: pulumi.Input<"Shared" | "UniquePerReplica">;
}

/** Counts are groups, not pods. */
export interface LeaderWorkerSetStatus {
  replicas?: number;
  readyReplicas?: number;
  /** Groups that run the current template. */
  updatedReplicas?: number;
  observedGeneration?: number;
  /** Selects the leaders, for autoscalers. */
  hpaPodSelector?: string;
  /** Available, Progressing, UpdateInProgress. */
  conditions?: Condition[];
}
