import type { ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { recentMs } = constants;

type Counters = Pick<
  ModelServerMetrics,
  "at" | "runningRequests" | "endedRequests" | "firstTokens"
>;

/** Minimum of a value over the present and the previous time window, each `recentMs` long. */
export class RecentLeast {
  #since = Number.NEGATIVE_INFINITY;
  #now = Number.POSITIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;

  /** Adds a value and returns by how much it exceeds the minimum. */
  above(value: number, at: number): number {
    if (at - this.#since > recentMs) {
      this.#before = this.#now;
      this.#now = value;
      this.#since = at;
    } else this.#now = Math.min(this.#now, value);
    return value - Math.min(this.#now, this.#before);
  }
}

/**
 * Estimate of the running requests of a server, from all pickers, whose responses have not begun. It is the running and
 * ended requests minus the first tokens, all as reported by the server. This difference has an unknown offset, for
 * example because of responses that broke off. The recent minimum is taken as the offset.
 */
export class RequestsInPrefill {
  readonly #open = new RecentLeast();

  /** Takes a reading of the server's metrics. Returns undefined if the server does not count responses. */
  read({ at, runningRequests, endedRequests, firstTokens }: Counters): number | undefined {
    if (endedRequests === undefined || firstTokens === undefined) return undefined;
    return this.#open.above(runningRequests + endedRequests - firstTokens, at);
  }
}
