import type { Endpoint } from "../endpoints/endpoint.ts";
import type { SaturationDetector } from "../endpoints/saturation.ts";
import type { PoolSize } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import type { ServerHealth } from "../server-model/server-health.ts";
import type { Pool } from "./pool.ts";
import { isLost, ownPart, StageSnapshot, slotsOf } from "./server.ts";

const { firstSlots, stepTokens, unreadMs, unreportedSlots } = constants;

/** Saturation of a pool; 1 is full. */
export interface PoolSaturation {
  /** Saturation of the fuller stage. */
  readonly effective: number;
  /** Saturation of the model servers whose label assigns them to prefill; undefined if there are none. */
  readonly prefill: number | undefined;
  /** Saturation of the model servers that decode; undefined if there are none. */
  readonly decode: number | undefined;
}

/** State of a pool at one time. */
export interface PoolSnapshot extends PoolSize {
  readonly saturation: PoolSaturation;
  /** Endpoints that can take another request. */
  readonly free: readonly Endpoint[];
  /** Whether each stage has a free endpoint. */
  readonly hasFree: boolean;
  /** Number of endpoints with stale metrics. */
  readonly stale: number;
  /** Number of requests at the endpoints that get requests. */
  readonly load: number;
}

export interface SnapshotInputs {
  readonly detector: SaturationDetector;
  readonly health: ServerHealth;
  readonly now: number;
  /** Number of pickers that send to the servers. */
  readonly pickers: number;
  /**
   * A server with a full step of prompts to compute is not free: a request would wait there, although the next turn may
   * belong to another flow.
   */
  readonly sparesBusy: boolean;
}

/** Takes a snapshot of a pool, and sets `full` of each server. */
export function takePoolSnapshot(
  { endpoints, servers }: Pool,
  { detector, health, now, pickers, sparesBusy }: SnapshotInputs,
): PoolSnapshot {
  // Endpoints that are not ejected.
  const fit = health.fit(endpoints, undefined, now);
  const isStale = (endpoint: Endpoint) => detector.isStale?.(endpoint, now) === true;
  let [stale, lost, reporting] = [0, 0, 0];
  for (const server of servers) {
    const { endpoint } = server;
    if (endpoint.live.metrics?.reportsRequests === true) reporting += 1;
    if (!isStale(endpoint)) continue;
    stale += 1;
    if (isLost(server, health, now)) lost += 1;
  }
  // While other servers report their requests, a server that does not report its requests yet counts with the initial
  // slots.
  const unreported = reporting > 0 ? (detector.slots ?? firstSlots) : unreportedSlots;
  const mayServe = fit.length === servers.length ? undefined : new Set(fit);
  const stages = { prefill: new StageSnapshot(), decode: new StageSnapshot() };
  const free: Endpoint[] = [];
  let [known, allLoad, allSlots] = [0, 0, 0];
  for (const server of servers) {
    const { endpoint, model, prefills, decodes, computesPrompts } = server;
    server.full = undefined;
    const isOld = stale > 0 && isStale(endpoint);
    if (isOld && lost < servers.length && isLost(server, health, now)) continue;
    const { live } = endpoint;
    const isRead = live.metrics !== undefined || now - model.since > unreadMs;
    const most =
      live.metrics?.reportsRequests === true
        ? slotsOf(model)
        : Math.min(unreported, isRead ? unreported : model.slots.count);
    const load = endpointLoad(live);
    const full = Math.max(
      load / most,
      live.runningRequests / ownPart(live, most, pickers),
      isOld ? 0 : detector.saturation(endpoint, now),
      // A server that is down or ejected is full.
      live.isDown || mayServe?.has(endpoint) === false ? 1 : 0,
    );
    known += 1;
    allLoad += load;
    allSlots += most;
    const isSpared = sparesBusy && computesPrompts && live.streamedTokens >= stepTokens;
    const isFree = full < 1 && !isSpared;
    if (isFree) free.push(endpoint);
    if (!live.isDown) server.full = full;
    // A decoder prefills its prompts itself if no prefiller listens, but waits for a prefiller that is full.
    if (prefills && !live.isDown) stages.prefill.add(full, isFree);
    if (decodes) stages.decode.add(full, isFree);
  }
  const prefill = stages.prefill.saturation;
  const decode = stages.decode.saturation;
  const effective = servers.length === 0 ? 1 : Math.max(prefill ?? 0, decode ?? 0);
  return {
    saturation: { effective, prefill, decode },
    free,
    hasFree: free.length > 0 && stages.prefill.hasFree && stages.decode.hasFree,
    stale,
    endpoints: known,
    load: allLoad,
    slots: allSlots,
  };
}
