import type { Endpoint, LiveState, ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import type { ServerWork } from "../server-model/estimated-concurrency.ts";
import type { ServerHealth } from "../server-model/server-health.ts";
import type { ServerModel } from "../server-model/server-models.ts";

/** A server with the stages that it is for. */
export interface StagedServer {
  readonly endpoint: Endpoint;
  readonly prefills: boolean;
  readonly decodes: boolean;
  /** How full it was at the last look, 1 is full; undefined where it gets no requests. */
  full: number | undefined;
}

/** An endpoint with what stays of it from one look to the next. */
export interface Server extends StagedServer {
  readonly model: ServerModel;
  /** Prompts of requests are computed there. */
  readonly computesPrompts: boolean;
}

/**
 * Whether the metrics of a server are not read any more, and it answers no request: it may hang, and keep the requests that it
 * gets. Until then only what was sent there counts against it.
 */
export const isLost = (
  { endpoint: { live } }: Server,
  health: Pick<ServerHealth, "answeredAt">,
  now: number,
): boolean =>
  live.metrics !== undefined &&
  now - Math.max(live.metrics.at, health.answeredAt(live)) > constants.unreadMs;

/** The limit that a server reports; else the one that was learnt. */
export const slotsOf = ({ live, slots }: ServerModel): number =>
  live.metrics?.maxRunningRequests ?? slots.count;

/**
 * Slots of a server that one of so many pickers may use: its part; and half of what others leave of theirs, for they may come
 * for it before its use is seen.
 */
export function ownPart({ reading }: LiveState, slots: number, pickers: number): number {
  if (pickers === 1) return slots;
  const part = Math.ceil(slots / pickers);
  if (reading === undefined) return part;
  return part + Math.floor(Math.max(0, slots - part - reading.others) / 2);
}

/** What the picker knows of the pool then. */
interface PoolWork extends Required<Pick<ServerWork, "usable" | "othersLimit" | "isWanted">> {
  /** Pickers that send to the servers. */
  readonly pickers: number;
}

/** Returns what the picker knows of a server that says this. */
export function serverWork(
  { live, slots, requestsInPrefill }: ServerModel,
  metrics: ModelServerMetrics,
  { pickers, ...pool }: PoolWork,
): ServerWork {
  const { runningRequests } = live;
  // The others may leave theirs unused, and some are not for those that wait.
  const isFull = runningRequests >= ownPart(live, slots.count, pickers);
  const open = requestsInPrefill.read(metrics) ?? 0;
  const prefilling = pickers > 1 ? open : prefillingOf(live, metrics);
  return {
    load: Math.max(endpointLoad(live), isFull ? slots.count : 0),
    computes:
      live.runningTokens + live.externalTokens >= constants.fullStepTokens && prefilling > 0,
    ended: live.sentRequests - runningRequests,
    ...pool,
  };
}

/** Requests that run there, and whose answers have not begun, where only this picker has many there. */
function prefillingOf(
  { runningRequests, prompts, reading }: LiveState,
  metrics: ModelServerMetrics,
): number {
  const begun = runningRequests - prompts.size;
  return metrics.runningRequests - begun - (reading?.others ?? 0);
}

/** The model servers of one stage. */
export class StageSnapshot {
  #servers = 0;
  #sum = 0;
  #free = 0;

  add(full: number, isFree: boolean): void {
    this.#servers += 1;
    this.#sum += Math.min(1, full);
    if (isFree) this.#free += 1;
  }

  get saturation(): number | undefined {
    return this.#servers === 0 ? undefined : this.#sum / this.#servers;
  }

  /** A stage without model servers stops nobody. */
  get hasFree(): boolean {
    return this.#servers === 0 || this.#free > 0;
  }
}
