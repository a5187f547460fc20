import type { Container, PodSpec } from "../spec/role.ts";

/** A pod in the hands of a plugin: to be changed in place. Labels and annotations are always there. */
export interface HookPod {
  metadata: HookPodMetadata;
  spec: PodSpec;
}

export interface HookPodMetadata {
  /** Name of a pod that is being created; a template has none. */
  name?: string;
  namespace?: string;
  labels: Record<string, unknown>;
  annotations: Record<string, unknown>;
  [field: string]: unknown;
}

/** Which workload a pod belongs to. */
export interface WorkloadIdentity {
  readonly apiVersion: string;
  /** `InferenceService` or `ModelServing`. */
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
  };
}

/** The workload that a pod belongs to, as an object of its kind. */
export interface HookWorkload extends WorkloadIdentity {
  /**
   * The spec with its defaults, to be read. A hook that runs in the plan always has it; one that runs in the cluster has
   * that of the object which the API server has at that moment, and undefined where it has none. What an Output holds
   * is not known in a preview.
   */
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * What a hook is given: the fields of the ModelServing plugin framework's HookRequest. Only `onPodCreate` may change
 * anything, the pod: the rest is frozen, and for `onPodReady` so is the pod.
 */
export interface HookRequest {
  readonly modelServing: HookWorkload;
  /**
   * `{modelServing}-{index}`. Undefined where one template stands for the pods of several groups, which only a
   * plugin that runs per pod can tell apart.
   */
  readonly servingGroup?: string | undefined;
  readonly roleName: string;
  /** `{role}-{index}`. Undefined where one template stands for several replicas. */
  readonly roleID?: string | undefined;
  /** Whether the pod is the leader of its replica, or the only one. */
  readonly isEntry: boolean;
  readonly pod: HookPod;
}

export type { Container, PodSpec };
