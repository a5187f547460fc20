import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

/**
 * Pod templates have the types of @pulumi/kubernetes, so that its values, and functions that create them, can be used
 * unchanged. Quantities may also be numbers.
 *
 * The plan reads a few values, which must therefore be plain: the list of containers, their names and ports, amounts of
 * accelerators, and the scheduler and priority class of the pod. They are checked when the program runs.
 */

/** Pod template. Its metadata is kept, and its spec is sent to the API server as written. */
export interface PodTemplateArgs extends Omit<types.input.core.v1.PodTemplateSpec, "spec"> {
  /** Required. */
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
  /**
   * Containers of the pod. The engine is the first container that requests an accelerator, else the first container. Required unless
   * the service names a `model`.
   */
  containers?: pulumi.Input<pulumi.Input<ContainerArgs>[]>;
  /** Init containers. The ones with `restartPolicy: Always` are sidecars. */
  initContainers?: pulumi.Input<pulumi.Input<ContainerArgs>[] | undefined>;
  /** Resources that the container runtime needs in addition to the containers, by resource. */
  overhead?: Quantities;
  /** Resource limits of all containers together. */
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

/** core/v1 ContainerPort. If there are several ports, the one named `http` serves the model. */
export type ContainerPortArgs = types.input.core.v1.ContainerPort;

/** Transport protocols of a container port. */
export const Protocol = { Tcp: "TCP", Udp: "UDP", Sctp: "SCTP" } as const;
export type Protocol = (typeof Protocol)[keyof typeof Protocol];

/**
 * core/v1 ResourceRequirements. Quantities are numbers or strings: `8`, `"500m"`, `"64Gi"`. Amounts of accelerators are
 * plain.
 */
export interface ResourceRequirementsArgs {
  /** Maximum that a container may use, by resource. */
  limits?: pulumi.Inputs;
  /** Amounts reserved for the container, by resource. Default: the limits. */
  requests?: pulumi.Inputs;
  claims?: pulumi.Input<pulumi.Inputs[]>;
}
