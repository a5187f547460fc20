import type { Endpoint } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import type { SaturationDetector } from "../saturation.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import type { ServerHealth } from "../server-model/server-health.ts";
import { isLost, ownPart, type Server, StageSnapshot, slotsOf } from "./server.ts";

const { firstSlots, fullStepTokens, unreadMs, unreportedSlots } = constants;

/** How full a pool is: 1 is full. */
export interface PoolSaturation {
  /** The fuller of both stages. */
  readonly effective: number;
  /** How full the model servers are that prefill by their label; undefined where none does. */
  readonly prefill: number | undefined;
  /** How full those are that decode; undefined where none does. */
  readonly decode: number | undefined;
}

/** What is known of a pool at a moment. */
export interface PoolSnapshot {
  readonly saturation: PoolSaturation;
  /** Endpoints that take another request. */
  readonly free: readonly Endpoint[];
  /** Whether each stage has a free one. */
  readonly hasFree: boolean;
  /** Endpoints of which nothing new is known. */
  readonly stale: number;
  /** Endpoints that get requests. */
  readonly endpoints: number;
  /** Requests that they have, and for which they have slots. */
  readonly load: number;
  readonly slots: number;
}

/** Under what a pool is looked at. */
export interface SnapshotInputs {
  readonly detector: SaturationDetector;
  readonly health: Pick<ServerHealth, "answeredAt">;
  /** Endpoints that are not ejected. */
  readonly fit: readonly Endpoint[];
  readonly now: number;
  /** Pickers that send to the servers. */
  readonly pickers: number;
  /** What comes to a server with a step full of prompts would wait there, and another flow's turn may come first. */
  readonly sparesBusy: boolean;
}

/** Returns what is known of a pool's servers now, and says of each how full it is. */
export function takePoolSnapshot(servers: readonly Server[], inputs: SnapshotInputs): PoolSnapshot {
  const { detector, health, fit, now, pickers, sparesBusy } = inputs;
  const isStale = (endpoint: Endpoint) => detector.isStale?.(endpoint, now) === true;
  let [stale, lost, reporting] = [0, 0, 0];
  for (const server of servers) {
    const { endpoint } = server;
    if (endpoint.live.metrics?.reportsRequests === true) reporting += 1;
    if (!isStale(endpoint)) continue;
    stale += 1;
    if (isLost(server, health, now)) lost += 1;
  }
  // While others tell how many requests they have, one that does not yet is taken for as small as any.
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
      // Nobody listens there, or what is sent there fails.
      live.isDown || mayServe?.has(endpoint) === false ? 1 : 0,
    );
    known += 1;
    allLoad += load;
    allSlots += most;
    const isSpared = sparesBusy && computesPrompts && live.streamedTokens >= fullStepTokens;
    const isFree = full < 1 && !isSpared;
    if (isFree) free.push(endpoint);
    if (!live.isDown) server.full = full;
    // A decoder prefills itself while no prefiller listens; it waits for one that is full.
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
