import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition } from "./condition.ts";
import { kindOptions, type ObjectMeta } from "./kind-options.ts";
import { objectInputs } from "./object-inputs.ts";

const facts = kinds.LeaderWorkerSet;

/**
 * A LeaderWorkerSet (`leaderworkerset.x-k8s.io/v1`): groups of pods, each a leader with its workers, that are
 * created, restarted and updated as a unit. https://lws.sigs.k8s.io
 *
 * A change of `subGroupPolicy` or `volumeClaimTemplates` replaces the object, since its controller refuses it;
 * the old object is deleted first, since its pods hold the accelerators.
 */
export class LeaderWorkerSet extends pulumi.CustomResource {
  static readonly __pulumiType = `kubernetes:${facts.apiVersion}:${facts.kind}` as const;

  declare readonly apiVersion: pulumi.Output<typeof facts.apiVersion>;
  declare readonly kind: pulumi.Output<typeof facts.kind>;
  declare readonly metadata: pulumi.Output<types.output.meta.v1.ObjectMeta>;
  declare readonly spec: pulumi.Output<pulumi.Unwrap<LeaderWorkerSetSpec>>;
  /** What the controller last reported; undefined before it has seen the object. */
  declare readonly status: pulumi.Output<LeaderWorkerSetStatus | undefined>;

  /** Reads an existing object. `id` is `namespace/name`. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): LeaderWorkerSet {
    return new LeaderWorkerSet(name, undefined, { ...opts, id });
  }

  /** Whether a value is a LeaderWorkerSet, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is LeaderWorkerSet {
    return (
      (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType ===
      LeaderWorkerSet.__pulumiType
    );
  }

  constructor(name: string, args?: LeaderWorkerSetArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      LeaderWorkerSet.__pulumiType,
      name,
      objectInputs(facts, args, opts),
      kindOptions(facts, args?.metadata, opts),
    );
  }
}

export interface LeaderWorkerSetArgs {
  metadata?: pulumi.Input<ObjectMeta>;
  spec: pulumi.Input<LeaderWorkerSetSpec>;
}

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
