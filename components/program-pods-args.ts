import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { ResourceRequirements } from "./pod-template.ts";

/**
 * What may be said of the pods of a program that this project deploys: an endpoint picker, a controller, the webhook.
 * The fields are Kubernetes' own.
 */
export interface ProgramPods {
  /**
   * Resources of its container; what is given takes the place of the default as a whole. Default: requests of 250m CPU
   * and 256Mi of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirements;
  /** Secrets in its namespace by which the image is pulled, as `[{ name: "registry" }]`. */
  imagePullSecrets?: pulumi.Input<types.input.core.v1.LocalObjectReference>[];
  /** Labels of the nodes that it may run on. */
  nodeSelector?: Record<string, pulumi.Input<string>>;
  /** Taints of nodes that it may run on (core/v1 Toleration). */
  tolerations?: pulumi.Input<types.input.core.v1.Toleration>[];
  /** Rules for the nodes that it may run on (core/v1 Affinity). */
  affinity?: pulumi.Input<types.input.core.v1.Affinity>;
  /** How its pods are spread (core/v1 TopologySpreadConstraint). Default: over nodes, where that is possible. */
  topologySpreadConstraints?: pulumi.Input<types.input.core.v1.TopologySpreadConstraint>[];
  /** PriorityClass of its pods. Default: that of the `schedulingStrategy` of a service, for its picker. */
  priorityClassName?: pulumi.Input<string>;
  /** How many of its pods may be evicted at once. Default: one, where there are several pods. */
  podDisruptionBudget?: DisruptionBudget;
}

/** policy/v1 PodDisruptionBudgetSpec without its selector. `{ maxUnavailable: "100%" }` protects nothing. */
export interface DisruptionBudget {
  /** Pods that stay, as a number or a share such as `50%`. Not beside `maxUnavailable`. */
  minAvailable?: pulumi.Inputs[string];
  /** Pods that may go, as a number or a share such as `50%`. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** `IfHealthyBudget` or `AlwaysAllow`: whether pods that do not work may always go. Default `AlwaysAllow`. */
  unhealthyPodEvictionPolicy?: string;
}
