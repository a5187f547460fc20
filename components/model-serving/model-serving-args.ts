import type { Metadata } from "../inference-service-args.ts";
import type { NetworkPolicy } from "../network-policy-args.ts";
import type { PodPlugin } from "../pod-plugin-args.ts";
import type { PodTemplate } from "../pod-template.ts";
import type { RecoveryPolicy } from "../vocabulary.ts";

/** The arguments of a ModelServing: the spec of Kthena's kind of that name. */
export interface ModelServingArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** Scheduler of all pods. Default `volcano`; with `default-scheduler` nothing starts together. */
  schedulerName?: string;
  /** Serving groups. Default 1. */
  replicas?: number;
  /** Plugins that customise the pods, in the order in which they run. */
  plugins?: PodPlugin[];
  /** What a failed pod takes with it. Default `RoleRecreate`. */
  recoveryPolicy?: RecoveryPolicy;
  /** Who may open connections to the pods. Default: pods of the cluster, on the port that serves; see NetworkPolicy. */
  networkPolicy?: NetworkPolicy;
  /** What one serving group is made of. */
  template: ServingGroupTemplate;
}

/** What one serving group is made of. */
export interface ServingGroupTemplate {
  /** One to four. */
  roles: ServingRole[];
  /** What of a group starts together. Default: all of it. */
  gangPolicy?: GangPolicy;
}

/** A part of a serving group: instances of an entry pod and its workers. */
export interface ServingRole {
  /** A DNS label of at most 12 characters, unique in the template. */
  name: string;
  /** Instances in each serving group. Default 1. */
  replicas?: number;
  /** The pod that leads an instance, or is all of it. */
  entryTemplate: PodTemplate;
  /** Pods of an instance beside the entry pod. Default 0. */
  workerReplicas?: number;
  /** Needed with workers. */
  workerTemplate?: PodTemplate;
}

/** What of a serving group starts together. */
export interface GangPolicy {
  /** Instances by role that must start together. Default: all. */
  minRoleReplicas?: Record<string, number>;
}
