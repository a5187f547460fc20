import type { ModelServerMetrics } from "../endpoint.ts";
import { RecentLeast } from "./recent-least.ts";

type Counters = Pick<
  ModelServerMetrics,
  "at" | "runningRequests" | "endedRequests" | "firstTokens"
>;

/**
 * How many of the requests that run at a server have no answer yet, whoever sent them. The server reports how many run, how
 * many answers have begun, and how many have ended.
 */
export class Unanswered {
  readonly #open = new RecentLeast();

  /** Takes a reading of the server's metrics. Returns undefined if the server does not count answers. */
  read({ at, runningRequests, endedRequests, firstTokens }: Counters): number | undefined {
    if (endedRequests === undefined || firstTokens === undefined) return undefined;
    return this.#open.above(runningRequests + endedRequests - firstTokens, at);
  }
}
