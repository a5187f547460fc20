import type { LiveState, MetricsReading, ModelServerMetrics } from "./endpoint.ts";

/** What had been sent to a server when it was asked. */
export type SentBefore = Pick<LiveState, "sentRequests" | "runningRequests">;

/** Compares what a server says it has with what it may have of this picker. */
export function readingOf(
  { sentRequests, reading }: LiveState,
  { runningRequests, waitingRequests }: ModelServerMetrics,
  before: SentBefore,
): MetricsReading {
  const own = before.runningRequests + sentRequests - before.sentRequests;
  const othersNow = Math.max(0, runningRequests + waitingRequests - own);
  const others = Math.min(othersNow, reading?.othersNow ?? othersNow);
  return { sentBefore: before.sentRequests, others, othersNow };
}
