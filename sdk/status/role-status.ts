import { label } from "../names.ts";
import type { RouterRole } from "../spec/role.ts";
import type { RoleLayout } from "../topology/role-layout.ts";
import { routerPickerOf } from "../topology/router-picker.ts";
import { later } from "./conditions.ts";
import {
  type ObservedEvent,
  type ObservedPod,
  type ObservedWorkload,
  placeOf,
} from "./observed.ts";
import type { ComponentPhase, ComponentStatus } from "./schemas.ts";
import { shortageIn } from "./unschedulable.ts";

/** Time after which a pod without a node is a failure, in seconds. */
export const unschedulableLimit = 600;
/**
 * Time for which a warning of a controller counts, in seconds. Controllers retry a failure after at most 1,000 s, and
 * warn again.
 */
export const warningLimit = 1_200;
/** Recreations of a group within `warningLimit` that count as a crash loop, which its new pods do not show. */
const recreationsOfALoop = 3;

/** Different reasons for waiting pods that a message contains: leader and workers of a group may have one each. */
const mostShortages = 2;

/** The state of a role, without its time. */
export interface RoleState {
  readonly name: string;
  readonly status: Omit<ComponentStatus, "lastUpdateTime">;
  /** Replicas that must be ready for the role to serve. */
  readonly minReplicas: number;
  /** Planned objects that are not in the cluster. */
  readonly missing: readonly string[];
  /** Whether pods run an older template, or a controller has not seen the latest spec. */
  readonly rollingOut: boolean;
  /** Pods that have a node. */
  readonly scheduledPods: number;
  /** Reason that replicas are missing and waiting will not help; undefined if it may help. */
  readonly failure: string | undefined;
  /** Number of pods without a node, with the scheduler's reasons; undefined if it reports none. */
  readonly waiting: string | undefined;
  /** The reasons in `waiting`, the most frequent first. */
  readonly shortages: readonly string[];
  /** Time at which the state changes even if no object does, RFC 3339; undefined if it does not. */
  readonly requeueAt: string | undefined;
}

export interface RoleObjects {
  /** Pods of all roles of the service. */
  readonly pods: readonly ObservedPod[];
  /** LeaderWorkerSets of the service. */
  readonly workloads: readonly ObservedWorkload[];
  /** Events about LeaderWorkerSets, StatefulSets and PodGroups in the service's namespace. */
  readonly events: readonly ObservedEvent[];
}

type Counted = Omit<RoleState, "status"> & { readonly status: Omit<RoleState["status"], "phase"> };

/**
 * Returns the phase of a role: the first one in this table whose condition is true.
 *
 * | phase | condition |
 * |---|---|
 * | Unknown | the objects could not be read for a while |
 * | Running | every replica is ready, on the current template |
 * | Failed | fewer replicas than the minimum are ready, and waiting will not help |
 * | Deploying | a pod has a node |
 * | Pending | no pod has a node |
 */
export function phaseOf(state: Counted, isStale = false): ComponentPhase {
  const { status, minReplicas, missing, rollingOut, scheduledPods, failure } = state;
  if (isStale) return "Unknown";
  const isSettled = !rollingOut && missing.length === 0;
  if (isSettled && status.readyReplicas >= status.desiredReplicas) return "Running";
  if (failure !== undefined && status.readyReplicas < minReplicas) return "Failed";
  return scheduledPods > 0 ? "Deploying" : "Pending";
}

/** Computes the state of a role that runs an engine. */
export function roleState(layout: RoleLayout, objects: RoleObjects, now: string): RoleState {
  const { role, size } = layout;
  const pods = objects.pods.filter((pod) => placeOf(pod)?.role === role.name && !pod.deleting);
  const ready = readyByReplica(pods);
  const whole = [...ready.values()].filter((count) => count >= size).length;
  const workloads = layout.workloads.flatMap(
    ({ name }) => objects.workloads.find((each) => each.name === name) ?? [],
  );
  const wanted = workloads[0]?.wanted;
  const replicas = layout.autoscaled && wanted !== undefined ? wanted : layout.replicas;
  const minReplicas = Math.min(layout.minReplicas, replicas);
  const total = replicas * size;
  const warnings = pods.length < total ? warningsOf(layout, objects.events, pods) : [];
  return withPhase({
    name: role.name,
    minReplicas,
    missing: layout.workloads
      .filter(({ name }) => workloads.every((each) => each.name !== name))
      .map(({ name }) => `LeaderWorkerSet ${name}`),
    rollingOut: workloads.some(isRollingOut),
    scheduledPods: pods.filter(({ scheduled }) => scheduled).length,
    ...whyMissing(pods, [...warnings, ...recreations(layout, objects.events)], now),
    status: {
      desiredReplicas: replicas,
      readyReplicas: Math.min(whole, replicas),
      nodesPerReplica: size,
      totalPods: total,
      readyPods: Math.min(pods.filter((pod) => pod.ready).length, total),
    },
  });
}

/** The fields of a router that determine the pods of its picker. */
export type RouterOfPods = Pick<RouterRole, "replicas" | "shared">;

/** Returns the number of pods that a router's picker should have. A shared picker's Deployment sets its number. */
export const pickerReplicas = (
  { replicas, shared }: RouterOfPods,
  picker: ObservedWorkload | undefined,
): number => (shared === undefined ? replicas : (picker?.wanted ?? 1));

/** Computes the state of a router. Its replicas are the pods of the endpoint picker. */
export function routerState(
  role: RouterOfPods & Pick<RouterRole, "name">,
  service: string,
  picker: ObservedWorkload | undefined,
  objects: RoleObjects,
  now: string,
): RoleState {
  const { name } = role;
  const replicas = pickerReplicas(role, picker);
  const app = routerPickerOf(service, role).name;
  const pods = objects.pods.filter(
    ({ labels, deleting }) => labels[label.app] === app && !deleting,
  );
  const ready = Math.min(pods.filter((pod) => pod.ready).length, replicas);
  return withPhase({
    name,
    // A router with 0 replicas is stopped. A shared picker with 0 replicas does not stop its services.
    minReplicas: role.shared === undefined ? Math.min(1, replicas) : 1,
    missing: picker === undefined ? [`Deployment ${app}`] : [],
    rollingOut: picker !== undefined && isRollingOut(picker),
    scheduledPods: pods.filter(({ scheduled }) => scheduled).length,
    ...whyMissing(pods, [], now),
    status: {
      desiredReplicas: replicas,
      readyReplicas: ready,
      nodesPerReplica: 1,
      totalPods: replicas,
      readyPods: ready,
    },
  });
}

const withPhase = (state: Counted): RoleState => ({
  ...state,
  status: { ...state.status, phase: phaseOf(state) },
});

const isRollingOut = ({ current, updated, existing }: ObservedWorkload) =>
  !current || updated < existing;

function readyByReplica(pods: readonly ObservedPod[]): Map<string, number> {
  const ready = new Map<string, number>();
  for (const pod of pods) {
    const replica = placeOf(pod)?.replica;
    if (replica !== undefined && pod.ready) ready.set(replica, (ready.get(replica) ?? 0) + 1);
  }
  return ready;
}

/** Returns warnings of controllers that could not create pods. A pod that was created later makes them obsolete. */
function warningsOf(
  { workloads }: RoleLayout,
  events: readonly ObservedEvent[],
  pods: readonly ObservedPod[],
): ObservedEvent[] {
  return events.filter(
    ({ reason, about, at }) =>
      reason === "FailedCreate" &&
      workloads.some(({ name }) => isOf(name, about)) &&
      pods.every(({ created }) => created <= at),
  );
}

/** Returns warnings about crash loops. A restart recreates the whole group, so no pod is old enough to show a loop. */
function recreations({ workloads }: RoleLayout, events: readonly ObservedEvent[]): ObservedEvent[] {
  return events.filter(
    ({ reason, about, count }) =>
      reason.startsWith("RecreateGroup") &&
      count >= recreationsOfALoop &&
      workloads.some(({ name }) => about === name),
  );
}

/** Whether an object is a LeaderWorkerSet or one of its StatefulSets, such as `name-0` for the workers of group 0. */
const isOf = (workload: string, name: string) =>
  name === workload ||
  (name.startsWith(`${workload}-`) && /^\d+$/.test(name.slice(workload.length + 1)));

function whyMissing(
  pods: readonly ObservedPod[],
  events: readonly ObservedEvent[],
  now: string,
): Pick<RoleState, "failure" | "waiting" | "shortages" | "requeueAt"> {
  const unplaced = pods.flatMap(({ name, unschedulable }) =>
    unschedulable === undefined
      ? []
      : [{ name, ...unschedulable, limit: later(unschedulable.since, unschedulableLimit) }],
  );
  const reported = events.map((event) => ({ ...event, limit: later(event.at, warningLimit) }));
  const changes = [...unplaced, ...reported]
    .map(({ limit }) => limit)
    .filter((limit) => limit > now);
  const texts = unplaced.map(({ message }) => shortageIn(message)).filter((text) => text !== "");
  const shortages = [...Map.groupBy(texts, (text) => text)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, mostShortages)
    .map(([text]) => text);
  return { failure: failure(), waiting: waiting(), shortages, requeueAt: changes.sort()[0] };

  function waiting(): string | undefined {
    if (shortages.length === 0) return undefined;
    const count = unplaced.length === 1 ? "1 pod waits" : `${unplaced.length} pods wait`;
    return `${count} for a node: ${shortages.join(" or ")}`;
  }

  function failure(): string | undefined {
    const broken = pods.find((pod) => pod.failure !== undefined && !pod.ready);
    if (broken !== undefined) return `pod ${broken.name}: ${broken.failure}`;
    const warning = reported.find(({ limit }) => limit > now);
    if (warning !== undefined) return `${warning.about}: ${warning.reason}: ${warning.message}`;
    const stuck = unplaced.find(({ limit }) => limit <= now);
    return stuck && `pod ${stuck.name} cannot be scheduled: ${shortageIn(stuck.message)}`;
  }
}
