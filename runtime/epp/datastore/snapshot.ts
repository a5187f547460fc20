import { type Endpoint, hostPort, newLiveState } from "../../../scheduling/endpoints/endpoint.ts";
import { activePortsAnnotations } from "../../../scheduling/label-keys.ts";
import { type ModelRouting, noModelRouting } from "../../../sdk/routing/model-routing.ts";
import { registrationsOf } from "../../../sdk/routing/registrations.ts";
import { rewriteTable } from "../../../sdk/routing/rewrite-table.ts";
import { isAbout } from "../../../sdk/routing/routed-pool.ts";
import { noObjects, type PodObject, type PoolObject, type PoolObjects } from "./pool-objects.ts";

/** State of the pool that the request path reads, at one moment. */
export interface PoolSnapshot {
  readonly pool: PoolObject | undefined;
  /** Ready endpoints. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Endpoints that were ready before and whose pods still exist. Their in-flight requests count again once they are
   * ready.
   */
  readonly unready: readonly Endpoint[];
  /** Registrations and rewrites of model names. */
  readonly routing: ModelRouting;
  /** Priority by name of the InferenceObjective. */
  readonly priorities: ReadonlyMap<string, number>;
  /** Objects that the snapshot was made from. */
  readonly objects: PoolObjects;
}

export const emptySnapshot: PoolSnapshot = {
  pool: undefined,
  endpoints: [],
  unready: [],
  routing: noModelRouting,
  priorities: new Map(),
  objects: noObjects,
};

/**
 * Returns the snapshot of the given objects. Endpoints that did not change are taken from `previous` with their
 * measurements. Registrations and rewrites are taken from it if their lists did not change, because pods change more
 * often than rules.
 */
export function snapshotOf(objects: PoolObjects, previous: PoolSnapshot): PoolSnapshot {
  const { pool } = objects;
  if (pool === undefined) return emptySnapshot;
  const before = [...previous.unready, ...previous.endpoints];
  const known = new Map(before.map((endpoint) => [endpoint.id, endpoint]));
  const endpoints = objects.pods
    .filter((pod) => serves(pod, pool))
    .flatMap((pod) => endpointsOf(pod, pool))
    .map((endpoint) => carryOver(endpoint, known.get(endpoint.id)));
  return {
    pool,
    endpoints,
    unready: unreadyOf(before, endpoints, objects),
    routing: routingOf(pool, objects, previous),
    priorities: new Map(
      objects.objectives
        .filter((objective) => isAbout(objective, pool))
        .map(({ name, priority }) => [name, priority]),
    ),
    objects,
  };
}

function unreadyOf(
  before: readonly Endpoint[],
  endpoints: readonly Endpoint[],
  { pods }: PoolObjects,
): readonly Endpoint[] {
  if (before.length === 0) return before;
  const ready = new Set(endpoints.map(({ id }) => id));
  const there = new Set(pods.map(({ uid }) => uid));
  return before.filter(({ id, podUid }) => !ready.has(id) && there.has(podUid));
}

function routingOf(
  pool: PoolObject,
  { services, rewrites }: PoolObjects,
  { objects: before, routing }: PoolSnapshot,
): ModelRouting {
  const samePool = pool === before.pool;
  const sameServices = samePool && services === before.services;
  const sameRewrites = samePool && rewrites === before.rewrites;
  if (sameServices && sameRewrites) return routing;
  return {
    registrationRequired: pool.registrationRequired,
    registrations: sameServices ? routing.registrations : registrationsOf(pool, services),
    rewrites: sameRewrites ? routing.rewrites : rewriteTable(pool, rewrites),
  };
}

const serves = (pod: PodObject, { namespace, matchLabels }: PoolObject) =>
  pod.ready &&
  !pod.deleting &&
  pod.ip !== "" &&
  pod.namespace === namespace &&
  Object.entries(matchLabels).every(([key, value]) => pod.labels[key] === value);

function endpointsOf(pod: PodObject, { targetPorts }: PoolObject): Endpoint[] {
  const active = activePorts(pod);
  return targetPorts.flatMap((port, rank) => {
    if (active !== undefined && !active.has(port)) return [];
    return {
      id: `${pod.namespace}/${pod.name}-rank-${rank}`,
      namespace: pod.namespace,
      pod: pod.name,
      podUid: pod.uid,
      rank,
      ip: pod.ip,
      port,
      address: hostPort(pod.ip, port),
      labels: pod.labels,
      kvFormat: pod.kvFormat,
      live: newLiveState(),
    };
  });
}

/** Returns the ports in the annotation, or undefined if the pod has no annotation and all ports serve. */
function activePorts({ annotations }: PodObject): ReadonlySet<number> | undefined {
  const key = activePortsAnnotations.find((key) => annotations[key] !== undefined);
  if (key === undefined) return undefined;
  return new Set((annotations[key] as string).split(",").map(Number));
}

/** Measurements belong to the pod and rank; a pod of the same name with another uid starts without measurements. */
function carryOver(endpoint: Endpoint, before: Endpoint | undefined): Endpoint {
  if (before === undefined || before.podUid !== endpoint.podUid) return endpoint;
  const same = before.address === endpoint.address && sameLabels(before.labels, endpoint.labels);
  return same ? before : { ...endpoint, live: before.live };
}

function sameLabels(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>) {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
