import type { LiveState, MetricsReading, ModelServerMetrics } from "./endpoint.ts";

/** Counters of a server's requests when its metrics were polled. */
export interface SentBefore extends Pick<LiveState, "sentRequests" | "runningRequests"> {
  /** Running requests whose responses had not begun. */
  readonly prefillingRequests: number;
}

export const sentBefore = ({ sentRequests, runningRequests, prompts }: LiveState): SentBefore => ({
  ...{ sentRequests, runningRequests },
  prefillingRequests: prompts.size,
});

/**
 * Compares the requests that a server reports with this picker's own. If the picker has observed the start of a
 * response since the reported count of begun responses last changed, the metrics are outdated. Own requests that ended
 * since then do not count as excess.
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
  const externalNow = isOld ? Math.min(beyond, reading?.externalNow ?? beyond) : beyond;
  const external = Math.min(externalNow, reading?.externalNow ?? externalNow);
  return {
    ...{ sentBefore: before.sentRequests, prefillingBefore: before.prefillingRequests },
    ...{ external, externalNow, began },
  };
}
