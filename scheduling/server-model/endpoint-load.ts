import type { LiveState } from "../endpoint.ts";

/**
 * Requests that a model server has, or will have when what was sent to it arrives.
 *
 * A request of this picker counts from its dispatch to the end of its stream, whatever the server says: metrics are as old
 * as their reading, and older. Where the picker has left the response, the server tells whether the request still runs, and
 * what was sent since it was asked counts beside that. What the server has beyond this picker's requests is others'.
 */
export function endpointLoad(live: LiveState): number {
  const { metrics, runningRequests, unobservedRequests, reading } = live;
  if (metrics === undefined || !metrics.reportsRequests || reading === undefined)
    return runningRequests;
  const there = metrics.runningRequests + metrics.waitingRequests;
  const watched = runningRequests - unobservedRequests;
  const sentSince = live.sentRequests - reading.sentBefore;
  const unwatched = Math.min(unobservedRequests, Math.max(0, there - watched) + sentSince);
  return watched + unwatched + reading.others;
}

/** Prompt tokens that a server computes before those of a new request. */
export const tokensAhead = ({ runningTokens, computedTokens, externalTokens }: LiveState): number =>
  runningTokens - computedTokens + externalTokens;
