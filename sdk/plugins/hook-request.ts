import type { Container, PodSpec } from "../schemas/pod-template.ts";

/** Pod that a plugin changes in place. Labels and annotations are always present. */
export interface HookPod {
  metadata: HookPodMetadata;
  spec: PodSpec;
}

export interface HookPodMetadata {
  /** Name of a pod that is being created; undefined for a template. */
  name?: string;
  namespace?: string;
  labels: Record<string, unknown>;
  annotations: Record<string, unknown>;
  [field: string]: unknown;
}

/** Identity of the workload that a pod belongs to. */
export interface WorkloadIdentity {
  readonly apiVersion: string;
  /** `InferenceService` or `ModelServing`. */
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
  };
}

/** Workload that a pod belongs to. */
export interface HookWorkload extends WorkloadIdentity {
  /**
   * Spec with its defaults, read-only. It is always set for a hook that runs in the plan. For a hook that runs in the
   * cluster, it is the spec of the object in the API server at that time, and undefined if there is no object. The
   * value of an Output is unknown in a preview.
   */
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Request to a hook, with the fields of HookRequest in the ModelServing plugin framework. Only `onPodCreate` may change
 * it, and only the pod: everything else is frozen, and for `onPodReady` the pod is frozen too.
 */
export interface HookRequest {
  readonly modelServing: HookWorkload;
  /**
   * `{modelServing}-{index}`. Undefined if one template is used for the pods of several groups. A plugin that runs per
   * pod always gets it.
   */
  readonly servingGroup?: string | undefined;
  readonly roleName: string;
  /** `{role}-{index}`. Undefined if one template is used for several replicas. */
  readonly roleID?: string | undefined;
  /** Whether the pod is the leader of its replica, or its only pod. */
  readonly isEntry: boolean;
  readonly pod: HookPod;
}

export type { Container, PodSpec };
