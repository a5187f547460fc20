import type { RoleLayout } from "../topology/role-layout.ts";
import { type FailedCreate, type ObservedPod, type ObservedWorkload, placeOf } from "./observed.ts";
import type { ComponentPhase, ComponentStatus } from "./schemas.ts";

/** A pod that the scheduler could not place for so long, in seconds, will hardly be placed without help. */
export const unschedulableLimit = 600;
/** A warning of a controller counts for so long, in seconds: it repeats while the reason lasts. */
export const failedCreateLimit = 300;

/** How a role is doing, before it is known since when. */
export interface RoleState {
  readonly name: string;
  readonly status: Omit<ComponentStatus, "lastUpdateTime">;
  /** Replicas that must be ready for the role to serve. */
  readonly minReplicas: number;
  /** Pods run an older template, or the controller has not seen the latest spec. */
  readonly rollingOut: boolean;
  /** Pods that have a node. */
  readonly scheduledPods: number;
  /** Why replicas are missing, where time alone will not bring them; undefined where it may. */
  readonly failure: string | undefined;
  /** When a pod that waits for a node counts as a failure, RFC 3339; undefined where none waits. */
  readonly failsAt: string | undefined;
}

export interface RoleObjects {
  readonly pods: readonly ObservedPod[];
  readonly workloads: readonly ObservedWorkload[];
  readonly failedCreates: readonly FailedCreate[];
}

/**
 * What each phase means. The first that holds is the role's.
 *
 * | phase | holds when |
 * |---|---|
 * | Unknown | the objects cannot be read, so that nothing below can be told |
 * | Running | every replica is ready, on the current template |
 * | Failed | fewer replicas are ready than the minimum, and something stands in the way that waiting does not mend |
 * | Deploying | a pod has a node |
 * | Pending | no pod has one |
 */
export function phaseOf(
  state: Omit<RoleState, "status"> & { readonly status: Omit<RoleState["status"], "phase"> },
): ComponentPhase {
  const { status, minReplicas, rollingOut, scheduledPods, failure } = state;
  if (status.readyReplicas >= status.desiredReplicas && !rollingOut) return "Running";
  if (failure !== undefined && status.readyReplicas < minReplicas) return "Failed";
  return scheduledPods > 0 ? "Deploying" : "Pending";
}

/** The state of a role that runs an engine. */
export function roleState(layout: RoleLayout, objects: RoleObjects, now: string): RoleState {
  const { role, size, replicas, minReplicas, workloads } = layout;
  const pods = objects.pods.filter((pod) => placeOf(pod)?.role === role.name && !pod.deleting);
  const ready = readyByReplica(pods);
  const whole = [...ready.values()].filter((count) => count >= size).length;
  const own = workloads.map(({ name }) => objects.workloads.find((each) => each.name === name));
  const waiting = pods.flatMap(({ unschedulable }) => unschedulable?.since ?? []).sort();
  const state = {
    name: role.name,
    minReplicas,
    rollingOut: own.some(
      (workload) =>
        workload !== undefined &&
        (!workload.current || workload.updatedReplicas < workload.replicas),
    ),
    scheduledPods: pods.filter(({ scheduled }) => scheduled).length,
    failure: failureOf(
      pods,
      workloads.map(({ name }) => name),
      objects.failedCreates,
      now,
    ),
    failsAt: waiting[0] === undefined ? undefined : later(waiting[0], unschedulableLimit),
    status: {
      desiredReplicas: replicas,
      readyReplicas: Math.min(whole, replicas),
      nodesPerReplica: size,
      totalPods: replicas * size,
      readyPods: Math.min(sum(ready.values()), replicas * size),
    },
  };
  return { ...state, status: { ...state.status, phase: phaseOf(state) } };
}

function readyByReplica(pods: readonly ObservedPod[]): Map<string, number> {
  const ready = new Map<string, number>();
  for (const pod of pods) {
    const replica = placeOf(pod)?.replica;
    if (replica !== undefined && pod.ready) ready.set(replica, (ready.get(replica) ?? 0) + 1);
  }
  return ready;
}

function failureOf(
  pods: readonly ObservedPod[],
  workloads: readonly string[],
  failedCreates: readonly FailedCreate[],
  now: string,
): string | undefined {
  const broken = pods.find(({ failure }) => failure !== undefined);
  if (broken !== undefined) return `pod ${broken.name}: ${broken.failure}`;
  const refused = failedCreates.find(
    ({ name, at }) =>
      later(at, failedCreateLimit) > now &&
      workloads.some((workload) => name === workload || name.startsWith(`${workload}-`)),
  );
  if (refused !== undefined) return `${refused.name}: ${refused.message}`;
  const stuck = pods.find(
    ({ unschedulable }) =>
      unschedulable !== undefined && later(unschedulable.since, unschedulableLimit) <= now,
  );
  return stuck && `pod ${stuck.name}: ${stuck.unschedulable?.message}`;
}

/** A moment some seconds after another. */
export const later = (moment: string, seconds: number): string =>
  `${new Date(Date.parse(moment) + seconds * 1000).toISOString().slice(0, 19)}Z`;

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0);
