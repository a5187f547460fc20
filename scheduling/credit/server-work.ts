import type { LiveState, ModelServerMetrics } from "../endpoint.ts";
import { endpointLoad } from "../server-model/endpoint-load.ts";
import type { ServerWork } from "../server-model/learnt-slots.ts";
import { longPrompts } from "../server-model/places.ts";
import type { ServerModel } from "../server-model/server-models.ts";
import { ownPart } from "./server.ts";

/** What the picker knows of the pool then. */
interface PoolWork extends Required<Pick<ServerWork, "usable" | "othersLimit" | "isWanted">> {
  /** Pickers that send to the servers. */
  readonly pickers: number;
}

/** Returns what the picker knows of a server that says this. */
export function serverWork(
  { live, slots, unanswered }: ServerModel,
  metrics: ModelServerMetrics,
  { pickers, ...pool }: PoolWork,
): ServerWork {
  const { runningRequests } = live;
  // The others may leave theirs unused, and some are not for those that wait.
  const isFull = runningRequests >= ownPart(live, slots.count, pickers);
  const open = unanswered.read(metrics) ?? 0;
  const prefilling = pickers > 1 ? open : prefillingOf(live, metrics);
  return {
    load: Math.max(endpointLoad(live), isFull ? slots.count : 0),
    computes: live.runningTokens + live.othersTokens >= longPrompts && prefilling > 0,
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
