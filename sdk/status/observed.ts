import { pickerOfPool } from "../../kubernetes/kinds/inference-pool.ts";
import { label, lwsLabel } from "../names.ts";
import type { PickedPool } from "../routing/picker-ports.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";
import type { Condition } from "./conditions.ts";
import type { Evidence } from "./container-end.ts";
import type { RawPodState } from "./pod-containers.ts";
import { podFailure } from "./pod-failure.ts";

/**
 * The fields of a cluster's objects that a status depends on. The functions accept objects as the API server sends
 * them. Their results are small, because a controller keeps one for every pod of a cluster.
 */

export interface ObservedObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ObservedPod extends ObservedObject {
  readonly uid: string;
  /** RFC 3339. */
  readonly created: string;
  readonly ready: boolean;
  /** Whether the pod has a node. */
  readonly scheduled: boolean;
  readonly deleting: boolean;
  /** IP address; undefined until the pod has one. */
  readonly address: string | undefined;
  /** Reason that a container does not run and waiting will not help, such as `CrashLoopBackOff`, and its cause. */
  readonly failure: string | undefined;
  /** ReplicaSet that its owner references name as its controller. The creator of a pod can forge them. */
  readonly replicaSet?: OwnerReference | undefined;
  /** The scheduler's message and its time; undefined if the pod has a node or the scheduler has not tried yet. */
  readonly unschedulable: { readonly message: string; readonly since: string } | undefined;
}

/** Name and uid of an object. A uid is never reused. */
export interface OwnerReference {
  readonly name: string;
  readonly uid: string;
}

/** A ReplicaSet with pods that belongs to a Deployment. */
export interface ObservedReplicaSet extends ObservedObject {
  readonly uid: string;
  readonly deployment: OwnerReference;
  readonly selector: Readonly<Record<string, string>>;
}

export interface ObservedWorkload extends ObservedObject {
  readonly uid: string;
  /** Whether the controller has seen the latest spec. */
  readonly current: boolean;
  /** Groups, or pods of a Deployment, in the spec. */
  readonly wanted: number;
  /** Groups, or pods of a Deployment, that exist. */
  readonly existing: number;
  /** Existing groups or pods that use the current template. */
  readonly updated: number;
}

export interface ObservedPodGroup extends ObservedObject {
  /** Pending, Inqueue, Running, Unknown or Completed. */
  readonly phase: string;
  /** The scheduler's message about a waiting gang. */
  readonly message: string | undefined;
}

/** An HTTPRoute or InferencePool, with the conditions that each parent reports. */
export interface ObservedParents extends ObservedObject {
  readonly parents: ReadonlyArray<{
    readonly name: string;
    readonly conditions: readonly Condition[];
  }>;
}

/** An event of a LeaderWorkerSet or a StatefulSet with the reason that pods are missing. */
export interface ObservedEvent extends ObservedObject {
  /** Name of the object that the event is about. */
  readonly about: string;
  readonly reason: string;
  readonly message: string;
  /** Time of the last occurrence, RFC 3339, whole seconds. */
  readonly at: string;
  readonly count: number;
}

interface RawMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: ReadonlyArray<
    OwnerReference & { readonly kind: string; readonly controller?: boolean }
  >;
}

const noLabels: Readonly<Record<string, string>> = {};

const identity = ({
  name,
  namespace = "default",
  labels = noLabels,
}: RawMetadata): ObservedObject => ({ namespace, name, labels });

/** Returns the controller in the owner references if it is of this kind. */
function controllerOf({ ownerReferences = [] }: RawMetadata, kind: string) {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner?.kind === kind ? { name: owner.name, uid: owner.uid } : undefined;
}

interface RawPod {
  readonly metadata: RawMetadata;
  readonly spec?: RawPodState["spec"] & { readonly nodeName?: string };
  readonly status?: RawPodState["status"] & {
    readonly podIP?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** @param evidence facts about the pod's failure that other objects contain */
export function observePod(object: unknown, evidence?: Evidence): ObservedPod {
  const { metadata, spec, status = {} } = object as RawPod;
  const condition = (type: string) => status.conditions?.find((each) => each.type === type);
  const placed = condition("PodScheduled");
  return {
    ...identity(metadata),
    uid: metadata.uid ?? "",
    created: metadata.creationTimestamp ?? "",
    ready: condition("Ready")?.status === "True",
    scheduled: Boolean(spec?.nodeName),
    deleting: metadata.deletionTimestamp !== undefined,
    address: status.podIP || undefined,
    replicaSet: controllerOf(metadata, "ReplicaSet"),
    failure: podFailure({ spec, status }, evidence),
    unschedulable:
      placed?.status === "False" && placed.reason === "Unschedulable"
        ? { message: placed.message ?? "", since: placed.lastTransitionTime }
        : undefined,
  };
}

interface RawWorkload {
  readonly metadata: RawMetadata;
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
  };
}

/** Reads a LeaderWorkerSet or a Deployment. A status of an older controller without `observedGeneration` is current. */
export function observeWorkload(object: unknown): ObservedWorkload {
  const { metadata, spec, status } = object as RawWorkload;
  const generation = metadata.generation ?? 0;
  return {
    ...identity(metadata),
    uid: metadata.uid ?? "",
    current: status !== undefined && (status.observedGeneration ?? generation) >= generation,
    wanted: spec?.replicas ?? 1,
    existing: status?.replicas ?? 0,
    updated: status?.updatedReplicas ?? 0,
  };
}

interface RawReplicaSet {
  readonly metadata: RawMetadata;
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
}

/** Returns undefined for a ReplicaSet without a Deployment or without pods. A Deployment keeps ten without pods. */
export function observeReplicaSet(object: unknown): ObservedReplicaSet | undefined {
  const { metadata, spec } = object as RawReplicaSet;
  const deployment = controllerOf(metadata, "Deployment");
  if (deployment === undefined || spec?.replicas === 0) return undefined;
  return {
    ...identity(metadata),
    uid: metadata.uid ?? "",
    deployment,
    selector: spec?.selector?.matchLabels ?? noLabels,
  };
}

interface RawPodGroup {
  readonly metadata: RawMetadata;
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export function observePodGroup(object: unknown): ObservedPodGroup {
  const { metadata, status } = object as RawPodGroup;
  // The conditions are a history: the newest one that is True is current.
  const newest = status?.conditions
    ?.filter((condition) => condition.status === "True")
    .sort((a, b) => (a.lastTransitionTime < b.lastTransitionTime ? -1 : 1))
    .at(-1);
  return {
    ...identity(metadata),
    phase: status?.phase ?? "Pending",
    message: newest?.type === "Unschedulable" ? newest.message : undefined,
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

/** Reads the picker of an InferencePool and the age of the pool. */
export function observePickedPool(object: unknown): PickedPool {
  const { metadata } = object as { readonly metadata: RawMetadata };
  const { namespace, name } = identity(metadata);
  const picker = pickerOfPool(object);
  return {
    ...{ namespace, name, creationTimestamp: metadata.creationTimestamp ?? "" },
    picker: picker?.name ?? "",
    pickerPort: picker?.port?.number ?? runtimePorts.extProc,
  };
}

/** An event of core v1. The newer of the two event APIs does not set `lastTimestamp` and `count`. */
interface RawEvent {
  readonly metadata: RawMetadata;
  readonly involvedObject: { readonly kind?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | null;
}

export function observeEvent(object: unknown): ObservedEvent {
  const { metadata, involvedObject, reason, message, ...event } = object as RawEvent;
  const at =
    event.series?.lastObservedTime ??
    event.lastTimestamp ??
    event.eventTime ??
    metadata.creationTimestamp ??
    "";
  return {
    ...identity(metadata),
    about: involvedObject.name ?? "",
    reason: reason ?? "",
    message: message ?? "",
    at: at.replace(/\.\d+Z$/, "Z"),
    count: event.series?.count ?? event.count ?? 1,
  };
}

/** Returns the role and the replica of a pod; undefined if the pod belongs to no role. */
export function placeOf({ labels }: ObservedPod): { role: string; replica: string } | undefined {
  const role = labels[label.roleName];
  const replica = labels[lwsLabel.groupKey];
  return role === undefined || replica === undefined ? undefined : { role, replica };
}
