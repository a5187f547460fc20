import type { Endpoint, LiveState, ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import type { ServerWork } from "../server-model/estimated-concurrency.ts";
import type { ServerHealth } from "../server-model/server-health.ts";
import type { ServerModel } from "../server-model/server-models.ts";

/** A server, the stages of a request that it serves, and the state that is kept between snapshots. */
export interface Server {
  readonly endpoint: Endpoint;
  readonly model: ServerModel;
  readonly prefills: boolean;
  readonly decodes: boolean;
  /** The server computes the prompts of requests. */
  readonly computesPrompts: boolean;
  /** Saturation at the last snapshot, 1 is full; undefined if the server gets no requests. */
  full: number | undefined;
}

/**
 * Whether a server is lost: its metrics can no longer be read, and it has not responded to a request for `unreadMs`. It
 * may hang, and would keep the requests that it gets. Before that time, only the requests sent there count as its load.
 */
export const isLost = (
  { endpoint: { live } }: Server,
  health: Pick<ServerHealth, "answeredAt">,
  now: number,
): boolean =>
  live.metrics !== undefined &&
  now - Math.max(live.metrics.at, health.answeredAt(live)) > constants.unreadMs;

/** The limit that a server reports or, if it reports none, the estimated concurrency. */
export const slotsOf = ({ live, slots }: ServerModel): number =>
  live.metrics?.maxRunningRequests ?? slots.count;

/**
 * Returns the slots of a server that one of several pickers may use: an equal part, plus half of the slots that the
 * others leave unused. The other half stays free, because the others may use it before this picker sees that.
 */
export function ownPart({ reading }: LiveState, slots: number, pickers: number): number {
  if (pickers === 1) return slots;
  const part = Math.ceil(slots / pickers);
  if (reading === undefined) return part;
  return part + Math.floor(Math.max(0, slots - part - reading.external) / 2);
}

/** State of the pool when the metrics of a server are read. */
interface PoolWork extends Required<Pick<ServerWork, "usable" | "othersLimit" | "isWanted">> {
  /** Number of pickers that send to the servers. */
  readonly pickers: number;
}

/** Returns the input for the estimated concurrency of a server with these metrics. */
export function serverWork(
  { live, slots, requestsInPrefill }: ServerModel,
  metrics: ModelServerMetrics,
  { pickers, ...pool }: PoolWork,
): ServerWork {
  const { runningRequests } = live;
  // A picker that uses its whole part treats the server as full: the others may leave their parts unused, and some
  // slots are not for queued requests.
  const isFull = runningRequests >= ownPart(live, slots.count, pickers);
  const open = requestsInPrefill.read(metrics) ?? 0;
  const prefilling = pickers > 1 ? open : prefillingOf(live, metrics);
  return {
    load: Math.max(endpointLoad(live), isFull ? slots.count : 0),
    computes: live.runningTokens + live.externalTokens >= constants.stepTokens && prefilling > 0,
    ended: live.sentRequests - runningRequests,
    ...pool,
  };
}

/**
 * Returns the running requests whose responses have not begun, as this picker sees them. Valid if no other picker sends
 * many requests there.
 */
function prefillingOf(
  { runningRequests, prompts, reading }: LiveState,
  metrics: ModelServerMetrics,
): number {
  const begun = runningRequests - prompts.size;
  return metrics.runningRequests - begun - (reading?.external ?? 0);
}

/** Saturation of the model servers of one stage. */
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

  /** Whether the stage can take a request. A stage without model servers blocks no request. */
  get hasFree(): boolean {
    return this.#servers === 0 || this.#free > 0;
  }
}
