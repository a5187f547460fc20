import type { Endpoint, LiveState, ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { endpointLoad } from "./endpoint-load.ts";
import { waitForSlots } from "./slots.ts";

const { unknownSlotTokens } = constants;

/** Load of each of a list of servers, in the order of the list. */
interface Queues {
  /** Running and waiting requests at each server, including those on their way to it. */
  readonly requests: Float64Array;
  /** Slots that each server has to free before another request can run there. 0 if it has a free one. */
  readonly slots: Float64Array;
}

/** The parts of a request that its cost depends on. */
interface Asked {
  /** Estimated tokens of all its prompts. */
  readonly promptTokens: number;
  /** Latest metrics of an endpoint; undefined if there are none or they are stale. */
  metrics(endpoint: Endpoint): ModelServerMetrics | undefined;
}

/** Cost of the wait for one slot, in prompt tokens: the tokens that the server computes until it frees a slot. */
export const slotTokens = ({ msUntilSlot }: LiveState, msPerToken: number): number =>
  msUntilSlot === 0 ? unknownSlotTokens : msUntilSlot / msPerToken;

/**
 * Returns the load that a request finds at each endpoint. It takes one pass, because in a pool of thousands the
 * servers' states do not fit into the processor's caches. A server with unknown or stale metrics counts with the mean
 * load of the other servers.
 */
export function queuesAt(asked: Asked, endpoints: readonly Endpoint[]): Queues {
  const requests = new Float64Array(endpoints.length);
  const slots = new Float64Array(endpoints.length);
  let [known, allRequests, allSlots] = [0, 0, 0];
  for (let at = 0; at < endpoints.length; at += 1) {
    const endpoint = endpoints[at] as Endpoint;
    const metrics = asked.metrics(endpoint);
    if (metrics?.reportsRequests !== true) {
      requests[at] = Number.NaN;
      continue;
    }
    const reported = metrics.runningRequests + metrics.waitingRequests;
    requests[at] = Math.max(endpoint.live.runningRequests, reported);
    slots[at] = slotsWaitedFor(endpoint.live, metrics, asked.promptTokens);
    known += 1;
    allRequests += requests[at] as number;
    allSlots += slots[at] as number;
  }
  if (known === endpoints.length) return { requests, slots };
  for (let at = 0; at < endpoints.length; at += 1) {
    if (!Number.isNaN(requests[at])) continue;
    const { runningRequests } = (endpoints[at] as Endpoint).live;
    requests[at] = Math.max(runningRequests, known === 0 ? 0 : allRequests / known);
    slots[at] = known === 0 ? 0 : allSlots / known;
  }
  return { requests, slots };
}

/**
 * Returns the slots that the server has to free before the request can run: the number of waiting requests, or the load
 * with this request minus the concurrency limit, whichever is higher. At least 1 if the KV cache has no space for the
 * prompt. While the server has a full step of prompts to compute, only the cache space counts, because waiting requests
 * then wait for these prompts and not for a slot.
 */
function slotsWaitedFor(live: LiveState, metrics: ModelServerMetrics, tokens: number): number {
  const forMemory = hasMemoryFor(tokens, live, metrics) ? 0 : 1;
  if (!waitForSlots(live)) return forMemory;
  const waiting = Math.max(forMemory, metrics.waitingRequests);
  if (live.maxConcurrentRequests === Number.POSITIVE_INFINITY) return waiting;
  return Math.max(waiting, endpointLoad(live) + 1 - live.maxConcurrentRequests);
}

/** Whether the free KV cache holds this prompt in addition to all prompts that are not computed yet. */
function hasMemoryFor(
  tokens: number,
  { runningTokens, externalTokens }: LiveState,
  { cacheBlocks, cacheBlockSize, kvCacheUsage }: ModelServerMetrics,
): boolean {
  if (cacheBlocks === undefined || cacheBlockSize === undefined) return true;
  const free = (1 - kvCacheUsage) * cacheBlocks * cacheBlockSize;
  return runningTokens + externalTokens + tokens <= free;
}
