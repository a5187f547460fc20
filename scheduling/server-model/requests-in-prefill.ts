import type { ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";

const { leastWindowMs } = constants;

type Counters = Pick<
  ModelServerMetrics,
  "at" | "runningRequests" | "endedRequests" | "firstTokens"
>;

/** The least of a value in this window and the one before. */
export class RecentLeast {
  #since = Number.NEGATIVE_INFINITY;
  #now = Number.POSITIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;

  /** Adds a value and returns how much it is above the least. */
  above(value: number, at: number): number {
    if (at - this.#since > leastWindowMs) {
      this.#before = this.#now;
      this.#now = value;
      this.#since = at;
    } else this.#now = Math.min(this.#now, value);
    return value - Math.min(this.#now, this.#before);
  }
}

/**
 * How many of the requests that run at a server have no answer yet, whoever sent them. The server reports how many run, how
 * many answers have begun, and how many have ended.
 */
export class RequestsInPrefill {
  readonly #open = new RecentLeast();

  /** Takes a reading of the server's metrics. Returns undefined if the server does not count answers. */
  read({ at, runningRequests, endedRequests, firstTokens }: Counters): number | undefined {
    if (endedRequests === undefined || firstTokens === undefined) return undefined;
    return this.#open.above(runningRequests + endedRequests - firstTokens, at);
  }
}
