import type { LiveState, MetricsReading, ModelServerMetrics } from "./endpoint.ts";

/** What had been sent to a server when it was asked. */
export interface SentBefore extends Pick<LiveState, "sentRequests" | "runningRequests"> {
  /** Those of them whose answers had not begun. */
  readonly prefillingRequests: number;
}

export const sentBefore = ({ sentRequests, runningRequests, prompts }: LiveState): SentBefore => ({
  ...{ sentRequests, runningRequests },
  prefillingRequests: prompts.size,
});

/**
 * Compares what a server says it has with what it may have of this picker. A page on which no answer began although the picker
 * saw one begin since is old: what ended after it is not others'.
 */
export function readingOf(
  { sentRequests, firstTokens, reading }: LiveState,
  { runningRequests, waitingRequests, firstTokens: reported }: ModelServerMetrics,
  before: SentBefore,
): MetricsReading {
  const own = before.runningRequests + sentRequests - before.sentRequests;
  const began =
    reported !== undefined && reported === reading?.began?.reported
      ? reading.began
      : { reported, seen: firstTokens };
  const isOld = reported !== undefined && firstTokens > began.seen;
  const beyond = Math.max(0, runningRequests + waitingRequests - own);
  const othersNow = isOld ? Math.min(beyond, reading?.othersNow ?? beyond) : beyond;
  const others = Math.min(othersNow, reading?.othersNow ?? othersNow);
  return {
    ...{ sentBefore: before.sentRequests, prefillingBefore: before.prefillingRequests },
    ...{ others, othersNow, began },
  };
}
