import type { LeaderWorkerSetStatus } from "../../kubernetes/kinds/leader-worker-set.ts";

/** The parts of Kubernetes objects that the stand-ins read and write. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Metadata of an object to create. */
export interface Metadata {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

/** Metadata as the API server answers it. */
export interface LiveMetadata extends Metadata {
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  finalizers?: string[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: LiveMetadata;
}

export interface EnvVar {
  name: string;
  value?: string;
  [field: string]: unknown;
}

export interface Container {
  name: string;
  env?: EnvVar[];
  readinessProbe?: unknown;
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
  [field: string]: unknown;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  nodeName?: string;
  serviceAccountName?: string;
  schedulerName?: string;
  hostname?: string;
  subdomain?: string;
  [field: string]: unknown;
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export interface Condition {
  type: string;
  status: string;
  [field: string]: unknown;
}

export interface ContainerStatus {
  name: string;
  restartCount: number;
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status: {
    phase?: "Pending" | "Running" | "Succeeded" | "Failed";
    podIP?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

export interface PodGroup extends KubeObject {
  spec: {
    minMember?: number;
    subGroupPolicy?: Array<{
      name?: string;
      labelSelector?: { matchLabels?: Record<string, string> };
      matchLabelKeys?: string[];
      subGroupSize?: number;
      minSubGroups?: number;
    }>;
    [field: string]: unknown;
  };
  status?: { phase?: string; running?: number };
}

export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: { matchLabels?: Record<string, string> };
    template: PodTemplate;
  };
  status?: { conditions?: Condition[]; [count: string]: unknown };
}

export interface Service extends KubeObject {
  spec: {
    selector?: Record<string, string>;
    publishNotReadyAddresses?: boolean;
    ports?: Array<{ name?: string; port: number; targetPort?: number | string; protocol?: string }>;
  };
}

/** A LeaderWorkerSet as stored: the CRD's defaults are filled in. */
export interface LeaderWorkerSet extends KubeObject {
  spec: {
    replicas: number;
    startupPolicy: "LeaderCreated" | "LeaderReady";
    rolloutStrategy?: {
      rollingUpdateConfiguration?: {
        maxUnavailable: number | string;
        maxSurge: number | string;
        partition: number;
      };
    };
    networkConfig?: { subdomainPolicy: "Shared" | "UniquePerReplica" };
    leaderWorkerTemplate: {
      size: number;
      leaderTemplate?: PodTemplate;
      workerTemplate: PodTemplate;
      restartPolicy: "RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None" | "Default";
      subGroupPolicy?: unknown;
      volumeClaimTemplates?: unknown[];
    };
  };
  status?: LeaderWorkerSetStatus;
}

export const keyOf = ({ metadata }: { metadata: Metadata }) =>
  `${metadata.namespace ?? ""}/${metadata.name}`;

export const ownerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

export const isOwnedBy = (object: KubeObject, owner: KubeObject) =>
  object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;

export const isDeleting = (object: KubeObject) => object.metadata.deletionTimestamp !== undefined;

export const isReady = (pod: Pod) =>
  pod.status.phase === "Running" &&
  (pod.status.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
