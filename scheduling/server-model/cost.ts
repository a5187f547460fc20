import type { Endpoint, LiveState, ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { endpointLoad } from "./endpoint-load.ts";
import { waitForSlots } from "./slots.ts";

const { unknownSlotTokens } = constants;

/** What a request finds at each of some servers. */
interface Queues {
  /** Requests that a server has. */
  readonly requests: Float64Array;
  /** Slots that have to become free before the request has one. */
  readonly slots: Float64Array;
}

/** A request whose cost is asked, and the metrics of servers that are new enough. */
interface Asked {
  /** Estimated tokens of its prompts. */
  readonly promptTokens: number;
  metrics(endpoint: Endpoint): ModelServerMetrics | undefined;
}

/** Prompt tokens that a server computes until one of its slots is free. */
export const slotTokens = ({ msUntilSlot }: LiveState, msPerToken: number): number =>
  msUntilSlot === 0 ? unknownSlotTokens : msUntilSlot / msPerToken;

/**
 * Returns what the request finds at each endpoint, in one pass: in a pool of thousands the servers' states are in no cache of the
 * processor. A server whose metrics are unknown or too old is taken for the mean of the others.
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
    allRequests += reported;
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
 * As many as wait there, or as there are requests beyond those that it works on at once, this one among them; at least one where
 * the KV cache has no room for the prompt. Where prompts are to be computed, requests wait for these and not for a slot.
 */
function slotsWaitedFor(live: LiveState, metrics: ModelServerMetrics, tokens: number): number {
  const forMemory = hasMemoryFor(tokens, live, metrics) ? 0 : 1;
  if (!waitForSlots(live)) return forMemory;
  const waiting = Math.max(forMemory, metrics.waitingRequests);
  if (live.maxConcurrentRequests === Number.POSITIVE_INFINITY) return waiting;
  return Math.max(waiting, endpointLoad(live) + 1 - live.maxConcurrentRequests);
}

/** Whether the KV cache has room for a prompt, beside the requests that run and the prompts that are not computed yet. */
function hasMemoryFor(
  tokens: number,
  { runningTokens, externalTokens }: LiveState,
  { cacheBlocks, cacheBlockSize, kvCacheUsage }: ModelServerMetrics,
): boolean {
  if (cacheBlocks === undefined || cacheBlockSize === undefined) return true;
  const free = (1 - kvCacheUsage) * cacheBlocks * cacheBlockSize;
  return runningTokens + externalTokens + tokens <= free;
}
