import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

/**
 * Pod templates are those of @pulumi/kubernetes, so that values of its types, and functions that make them, fit here as
 * they are; quantities may be numbers as well.
 *
 * A few values are read by the plan and so have to be plain, which is checked when the program runs: which containers
 * there are, their names and ports, amounts of accelerators, and the scheduler and priority class of the pod.
 */

/** A pod template: its metadata is kept, its spec reaches the API server as written. */
export interface PodTemplateArgs extends Omit<types.input.core.v1.PodTemplateSpec, "spec"> {
  /** Needed. */
  spec?: pulumi.Input<PodSpecArgs | undefined>;
}

/** Labels and annotations of the pods. */
export type PodMetadataArgs = types.input.meta.v1.ObjectMeta;

/** core/v1 PodSpec. */
export interface PodSpecArgs
  extends Omit<
    types.input.core.v1.PodSpec,
    "containers" | "initContainers" | "overhead" | "resources"
  > {
  /** The engine is the first that asks for an accelerator, else the first. */
  containers: pulumi.Input<pulumi.Input<ContainerArgs>[]>;
  /** Those with `restartPolicy: Always` are sidecars. */
  initContainers?: pulumi.Input<pulumi.Input<ContainerArgs>[] | undefined>;
  /** What the runtime needs beside the containers, by resource. */
  overhead?: Quantities;
  /** What all containers together may use. */
  resources?: Resources;
}

/** core/v1 Container. */
export interface ContainerArgs extends Omit<types.input.core.v1.Container, "resources"> {
  /** Accelerators, CPU and memory. */
  resources?: Resources;
}

type Resources = pulumi.Input<
  ResourceRequirementsArgs | types.input.core.v1.ResourceRequirements | undefined
>;
type Quantities = pulumi.Inputs | types.input.core.v1.PodSpec["overhead"];

/** core/v1 EnvVar. */
export type EnvVarArgs = types.input.core.v1.EnvVar;

/** core/v1 ContainerPort. A port named `http` serves the model, where there are several. */
export type ContainerPortArgs = types.input.core.v1.ContainerPort;

/** Transport protocols of a container port. */
export const Protocol = { Tcp: "TCP", Udp: "UDP", Sctp: "SCTP" } as const;
export type Protocol = (typeof Protocol)[keyof typeof Protocol];

/** core/v1 ResourceRequirements. Quantities are numbers or text: `8`, `"500m"`, `"64Gi"`. Accelerators are plain. */
export interface ResourceRequirementsArgs {
  /** The most that a container may use, by resource. */
  limits?: pulumi.Inputs;
  /** What is reserved for it, by resource. Default: the limits. */
  requests?: pulumi.Inputs;
  claims?: pulumi.Input<pulumi.Inputs[]>;
}
