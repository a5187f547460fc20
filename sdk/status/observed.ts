import { label, lwsLabel } from "../topology/names.ts";
import type { Condition } from "./conditions.ts";

/** Objects of a cluster as far as a status is read from them. */

export interface ObservedObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ObservedPod extends ObservedObject {
  readonly ready: boolean;
  /** Has a node. */
  readonly scheduled: boolean;
  readonly deleting: boolean;
  /** Why a container of it does not run, where it will not by itself: `CrashLoopBackOff`, `ImagePullBackOff`. */
  readonly failure: string | undefined;
  /** What the scheduler says, and since when; undefined where it has placed the pod or not yet looked. */
  readonly unschedulable: { readonly message: string; readonly since: string } | undefined;
}

export interface ObservedWorkload extends ObservedObject {
  /** The controller has seen the latest spec. */
  readonly current: boolean;
  readonly replicas: number;
  readonly updatedReplicas: number;
}

export interface ObservedDeployment extends ObservedObject {
  readonly current: boolean;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
}

export interface ObservedPodGroup extends ObservedObject {
  /** Pending, Inqueue, Running, Unknown, Completed. */
  readonly phase: string;
  /** What the scheduler last said of why the gang waits. */
  readonly message: string | undefined;
}

/** An HTTPRoute or InferencePool: what each of its parents says. */
export interface ObservedParents extends ObservedObject {
  readonly parents: ReadonlyArray<{
    readonly name: string;
    readonly conditions: readonly Condition[];
  }>;
}

/** A warning of a controller that could not make pods. */
export interface FailedCreate {
  /** Object that was to get them. */
  readonly name: string;
  readonly message: string;
  readonly at: string;
}

/** Reasons for which a kubelet tries again and again. */
const failing = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

interface RawPod {
  readonly metadata: RawMetadata & { readonly deletionTimestamp?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly RawContainerStatus[];
    readonly initContainerStatuses?: readonly RawContainerStatus[];
  };
}
interface RawContainerStatus {
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}
interface RawMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly generation?: number;
}

const identity = ({ name, namespace = "default", labels = {} }: RawMetadata): ObservedObject => ({
  namespace,
  name,
  labels,
});

export function observePod(object: unknown): ObservedPod {
  const { metadata, spec, status } = object as RawPod;
  const conditions = status?.conditions ?? [];
  const placed = conditions.find(({ type }) => type === "PodScheduled");
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ];
  const waiting = containers.flatMap(({ state }) => state?.waiting?.reason ?? []);
  return {
    ...identity(metadata),
    ready: conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    scheduled: spec?.nodeName !== undefined && spec.nodeName !== "",
    deleting: metadata.deletionTimestamp !== undefined,
    failure:
      waiting.find((reason) => failing.has(reason)) ??
      (status?.phase === "Failed" ? (status.reason ?? "Failed") : undefined),
    unschedulable:
      placed?.status === "False" && placed.reason === "Unschedulable"
        ? { message: placed.message, since: placed.lastTransitionTime }
        : undefined,
  };
}

interface RawWorkload {
  readonly metadata: RawMetadata;
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
  };
}

/** A LeaderWorkerSet without `observedGeneration` in its status is taken as seen. */
export function observeWorkload(object: unknown): ObservedWorkload {
  const { metadata, spec, status } = object as RawWorkload;
  const seen = status?.observedGeneration ?? metadata.generation ?? 0;
  return {
    ...identity(metadata),
    current: seen >= (metadata.generation ?? 0),
    replicas: spec?.replicas ?? 1,
    updatedReplicas: status?.updatedReplicas ?? 0,
  };
}

export function observeDeployment(object: unknown): ObservedDeployment {
  const { metadata, spec, status } = object as RawWorkload;
  return {
    ...identity(metadata),
    current: (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    replicas: spec?.replicas ?? 1,
    updatedReplicas: status?.updatedReplicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
  };
}

interface RawPodGroup {
  readonly metadata: RawMetadata;
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export function observePodGroup(object: unknown): ObservedPodGroup {
  const { metadata, status } = object as RawPodGroup;
  const waiting = status?.conditions?.findLast(
    ({ type, status }) => type === "Unschedulable" && status === "True",
  );
  return {
    ...identity(metadata),
    phase: status?.phase ?? "Pending",
    message: waiting?.message,
  };
}

interface RawParents {
  readonly metadata: RawMetadata;
  readonly status?: {
    readonly parents?: ReadonlyArray<{
      readonly parentRef: { readonly name: string };
      readonly conditions?: readonly Condition[];
    }>;
  };
}

export function observeParents(object: unknown): ObservedParents {
  const { metadata, status } = object as RawParents;
  return {
    ...identity(metadata),
    parents: (status?.parents ?? []).map(({ parentRef, conditions = [] }) => ({
      name: parentRef.name,
      conditions,
    })),
  };
}

/** Role of a pod and the replica that it is of; undefined for a pod that no role runs. */
export function placeOf({ labels }: ObservedPod): { role: string; replica: string } | undefined {
  const role = labels[label.roleName];
  const replica = labels[lwsLabel.groupKey];
  return role === undefined || replica === undefined ? undefined : { role, replica };
}
