import type { LiveState } from "../endpoints/endpoint.ts";

/**
 * Returns the requests at a model server, including those on their way to it.
 *
 * An observed request of this picker counts from its dispatch to the end of its response, because metrics lag behind.
 * For unobserved requests, the server's metrics show how many still run; requests sent since that poll are added. The
 * server's requests beyond this picker's are external load (`reading.others`).
 */
export function endpointLoad(live: LiveState): number {
  const { metrics, runningRequests, unobservedRequests, reading } = live;
  if (metrics === undefined || !metrics.reportsRequests || reading === undefined)
    return runningRequests;
  const there = metrics.runningRequests + metrics.waitingRequests;
  const watched = runningRequests - unobservedRequests;
  const sentSince = live.sentRequests - reading.sentBefore;
  const unwatched = Math.min(unobservedRequests, Math.max(0, there - watched) + sentSince);
  return watched + unwatched + reading.external;
}

/** Prompt tokens that a server computes before the tokens of a new request. */
export const tokensAhead = ({ runningTokens, computedTokens, externalTokens }: LiveState): number =>
  runningTokens - computedTokens + externalTokens;
