import type { ModelServerMetrics } from "../endpoint.ts";

/** Milliseconds over which the fewest requests without an answer are taken for none: counters may not agree for ever. */
const memory = 10_000;

type Counters = Pick<
  ModelServerMetrics,
  "at" | "runningRequests" | "endedRequests" | "firstTokens"
>;

/**
 * How many of the requests that run at a server have no answer yet, whoever sent them: it says how many run, how many
 * answers have begun and how many have ended. One that breaks off is not among those that ended, so that the numbers are off
 * by as many from then on.
 */
export class Unanswered {
  #least = {
    since: Number.NEGATIVE_INFINITY,
    now: Number.POSITIVE_INFINITY,
    before: Number.POSITIVE_INFINITY,
  };

  /** The server's metrics were read. Undefined where it does not count answers. */
  read({ at, runningRequests, endedRequests, firstTokens }: Counters): number | undefined {
    if (endedRequests === undefined || firstTokens === undefined) return undefined;
    const open = runningRequests + endedRequests - firstTokens;
    const { since, now, before } = this.#least;
    this.#least =
      at - since > memory
        ? { since: at, now: open, before: now }
        : { since, now: Math.min(now, open), before };
    return open - Math.min(this.#least.now, this.#least.before);
  }
}
