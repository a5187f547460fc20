import type { RouterRole } from "../spec/role.ts";
import { label } from "../topology/names.ts";
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

/** A pod that the scheduler could not place for so long, in seconds, will hardly be placed without help. */
export const unschedulableLimit = 600;
/**
 * A warning of a controller counts for so long, in seconds: controllers come back to what fails after 1,000 s at the
 * latest, and warn again.
 */
export const warningLimit = 1_200;
/** A group that was made anew so often within `warningLimit` is in a loop of crashes: its pods are too young to tell. */
const recreationsOfALoop = 3;

/** How a role is doing, before it is known since when. */
export interface RoleState {
  readonly name: string;
  readonly status: Omit<ComponentStatus, "lastUpdateTime">;
  /** Replicas that must be ready for the role to serve. */
  readonly minReplicas: number;
  /** Objects that the plan has and the cluster has not. */
  readonly missing: readonly string[];
  /** Pods run an older template, or a controller has not seen the latest spec. */
  readonly rollingOut: boolean;
  /** Pods that have a node. */
  readonly scheduledPods: number;
  /** Why replicas are missing, where time alone will not bring them; undefined where it may. */
  readonly failure: string | undefined;
  /** When the state changes although no object does, RFC 3339; undefined where it does not. */
  readonly requeueAt: string | undefined;
}

export interface RoleObjects {
  /** Those of the service, of all roles. */
  readonly pods: readonly ObservedPod[];
  /** LeaderWorkerSets of the service. */
  readonly workloads: readonly ObservedWorkload[];
  /** About LeaderWorkerSets and StatefulSets of the service's namespace. */
  readonly events: readonly ObservedEvent[];
}

type Counted = Omit<RoleState, "status"> & { readonly status: Omit<RoleState["status"], "phase"> };

/**
 * What each phase means. The first that holds is the role's.
 *
 * | phase | holds when |
 * |---|---|
 * | Unknown | the objects could not be read for a while, so that nothing below can be told |
 * | Running | every replica is ready, on the current template |
 * | Failed | fewer replicas are ready than the minimum, and something stands in the way that waiting does not fix |
 * | Deploying | a pod has a node |
 * | Pending | no pod has one |
 */
export function phaseOf(state: Counted, isStale = false): ComponentPhase {
  const { status, minReplicas, missing, rollingOut, scheduledPods, failure } = state;
  if (isStale) return "Unknown";
  const isSettled = !rollingOut && missing.length === 0;
  if (isSettled && status.readyReplicas >= status.desiredReplicas) return "Running";
  if (failure !== undefined && status.readyReplicas < minReplicas) return "Failed";
  return scheduledPods > 0 ? "Deploying" : "Pending";
}

/** The state of a role that runs an engine. */
export function roleState(layout: RoleLayout, objects: RoleObjects, now: string): RoleState {
  const { role, size, replicas, minReplicas } = layout;
  const pods = objects.pods.filter((pod) => placeOf(pod)?.role === role.name && !pod.deleting);
  const ready = readyByReplica(pods);
  const whole = [...ready.values()].filter((count) => count >= size).length;
  const workloads = layout.workloads.flatMap(
    ({ name }) => objects.workloads.find((each) => each.name === name) ?? [],
  );
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

/** What a router says of the pods of its picker. */
export type RouterOfPods = Pick<RouterRole, "replicas" | "shared">;

/** Pods that the picker of a router should have. How many a shared one has, its own Deployment says. */
export const pickerReplicas = (
  { replicas, shared }: RouterOfPods,
  picker: ObservedWorkload | undefined,
): number => (shared === undefined ? replicas : (picker?.wanted ?? 1));

/** The state of a router: its replicas are the pods of the endpoint picker. */
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
    // A router without replicas is stopped; nobody stops a service by a picker that it shares.
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

/** What controllers say that could not make pods. A pod that came later shows that they could by then. */
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

/** The controller ends all pods of a group when one restarts, so that no pod is old enough to show a loop. */
function recreations({ workloads }: RoleLayout, events: readonly ObservedEvent[]): ObservedEvent[] {
  return events.filter(
    ({ reason, about, count }) =>
      reason.startsWith("RecreateGroup") &&
      count >= recreationsOfALoop &&
      workloads.some(({ name }) => about === name),
  );
}

/** Whether an object is a LeaderWorkerSet or one of its StatefulSets: `name`, then `name-0` for the workers of group 0. */
const isOf = (workload: string, name: string) =>
  name === workload ||
  (name.startsWith(`${workload}-`) && /^\d+$/.test(name.slice(workload.length + 1)));

function whyMissing(
  pods: readonly ObservedPod[],
  events: readonly ObservedEvent[],
  now: string,
): Pick<RoleState, "failure" | "requeueAt"> {
  const unplaced = pods.flatMap(({ name, unschedulable }) =>
    unschedulable === undefined
      ? []
      : [{ name, ...unschedulable, limit: later(unschedulable.since, unschedulableLimit) }],
  );
  const reported = events.map((event) => ({ ...event, limit: later(event.at, warningLimit) }));
  const changes = [...unplaced, ...reported]
    .map(({ limit }) => limit)
    .filter((limit) => limit > now);
  return { failure: failure(), requeueAt: changes.sort()[0] };

  function failure(): string | undefined {
    const broken = pods.find((pod) => pod.failure !== undefined && !pod.ready);
    if (broken !== undefined) return `pod ${broken.name}: ${broken.failure}`;
    const warning = reported.find(({ limit }) => limit > now);
    if (warning !== undefined) return `${warning.about}: ${warning.reason}: ${warning.message}`;
    const stuck = unplaced.find(({ limit }) => limit <= now);
    return stuck && `pod ${stuck.name} cannot be scheduled: ${stuck.message}`;
  }
}
