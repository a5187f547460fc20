import type * as pulumi from "@pulumi/pulumi";
import type { Protocol, ResourceRequirementsArgs } from "./pod-template.ts";

/**
 * Pod templates without the unions of @pulumi/kubernetes: every field of `PodSpec` and `Container` is listed, and
 * deeper levels accept any fields.
 */
/** Pod template. Its metadata is kept, and its spec is sent to the API server as written. */
export interface PodTemplateArgs {
  metadata?: PodMetadataArgs;
  spec: PodSpecArgs;
}

/** Labels and annotations of the pods. */
export interface PodMetadataArgs {
  labels?: Record<string, pulumi.Input<string>>;
  annotations?: Record<string, pulumi.Input<string>>;
}

/** core/v1 PodSpec. */
export interface PodSpecArgs {
  /**
   * Containers of the pod. The engine is the first container that requests an accelerator, else the first container.
   * Required unless the service names a `model`.
   */
  containers?: ContainerArgs[];
  initContainers?: ContainerArgs[];
  volumes?: pulumi.Input<pulumi.Inputs[]>;
  nodeSelector?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  affinity?: pulumi.Inputs;
  tolerations?: pulumi.Input<pulumi.Inputs[]>;
  topologySpreadConstraints?: pulumi.Input<pulumi.Inputs[]>;
  serviceAccountName?: pulumi.Input<string>;
  imagePullSecrets?: pulumi.Input<pulumi.Inputs[]>;
  securityContext?: pulumi.Input<pulumi.Inputs>;
  /** Seconds between SIGTERM and SIGKILL when the pod is deleted. Default 30. */
  terminationGracePeriodSeconds?: pulumi.Input<number>;
  runtimeClassName?: pulumi.Input<string>;
  /** Must equal `schedulingStrategy.schedulerName`. */
  schedulerName?: string;
  /** Must equal `schedulingStrategy.priorityClassName`. */
  priorityClassName?: string;
  priority?: pulumi.Input<number>;
  preemptionPolicy?: pulumi.Input<string>;
  restartPolicy?: pulumi.Input<string>;
  activeDeadlineSeconds?: pulumi.Input<number>;
  automountServiceAccountToken?: pulumi.Input<boolean>;
  dnsConfig?: pulumi.Input<pulumi.Inputs>;
  dnsPolicy?: pulumi.Input<string>;
  enableServiceLinks?: pulumi.Input<boolean>;
  ephemeralContainers?: pulumi.Input<pulumi.Inputs[]>;
  evictionResponders?: pulumi.Input<pulumi.Inputs[]>;
  hostAliases?: pulumi.Input<pulumi.Inputs[]>;
  hostIPC?: pulumi.Input<boolean>;
  hostNetwork?: pulumi.Input<boolean>;
  hostPID?: pulumi.Input<boolean>;
  hostUsers?: pulumi.Input<boolean>;
  hostname?: pulumi.Input<string>;
  hostnameOverride?: pulumi.Input<string>;
  nodeName?: pulumi.Input<string>;
  os?: pulumi.Input<pulumi.Inputs>;
  overhead?: pulumi.Inputs;
  readinessGates?: pulumi.Input<pulumi.Inputs[]>;
  resourceClaims?: pulumi.Input<pulumi.Inputs[]>;
  resources?: pulumi.Inputs;
  schedulingGates?: pulumi.Input<pulumi.Inputs[]>;
  schedulingGroup?: pulumi.Input<pulumi.Inputs>;
  serviceAccount?: pulumi.Input<string>;
  setHostnameAsFQDN?: pulumi.Input<boolean>;
  shareProcessNamespace?: pulumi.Input<boolean>;
  subdomain?: pulumi.Input<string>;
  workloadRef?: pulumi.Input<pulumi.Inputs>;
}

/** core/v1 Container. */
export interface ContainerArgs {
  name: string;
  image?: pulumi.Input<string>;
  /** Default: the command of the image. */
  command?: pulumi.Input<pulumi.Input<string>[]>;
  /** Default: the arguments of the image. */
  args?: pulumi.Input<pulumi.Input<string>[]>;
  env?: pulumi.Input<pulumi.Input<EnvVarArgs>[]>;
  envFrom?: pulumi.Input<pulumi.Inputs[]>;
  ports?: ContainerPortArgs[];
  resources?: ResourceRequirementsArgs;
  volumeMounts?: pulumi.Input<pulumi.Inputs[]>;
  volumeDevices?: pulumi.Input<pulumi.Inputs[]>;
  readinessProbe?: pulumi.Input<pulumi.Inputs>;
  livenessProbe?: pulumi.Input<pulumi.Inputs>;
  startupProbe?: pulumi.Input<pulumi.Inputs>;
  lifecycle?: pulumi.Input<pulumi.Inputs>;
  securityContext?: pulumi.Input<pulumi.Inputs>;
  imagePullPolicy?: pulumi.Input<string>;
  workingDir?: pulumi.Input<string>;
  /** `Always` makes an init container a sidecar. */
  restartPolicy?: pulumi.Input<string>;
  restartPolicyRules?: pulumi.Input<pulumi.Inputs[]>;
  resizePolicy?: pulumi.Input<pulumi.Inputs[]>;
  stdin?: pulumi.Input<boolean>;
  stdinOnce?: pulumi.Input<boolean>;
  tty?: pulumi.Input<boolean>;
  terminationMessagePath?: pulumi.Input<string>;
  terminationMessagePolicy?: pulumi.Input<string>;
}

/** core/v1 EnvVar. */
export interface EnvVarArgs {
  name: pulumi.Input<string>;
  value?: pulumi.Input<string>;
  valueFrom?: pulumi.Input<pulumi.Inputs>;
}

/** core/v1 ContainerPort. */
export interface ContainerPortArgs {
  /** Name of the port. `http` marks the port that serves the model, if there are several. */
  name?: string;
  containerPort: number;
  /** TCP, UDP or SCTP. Default TCP. */
  protocol?: Protocol;
  hostPort?: number;
  hostIP?: string;
}
