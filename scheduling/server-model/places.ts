import type { LiveState } from "../endpoint.ts";
import { Ended } from "./ended.ts";
import { tokensAhead } from "./endpoint-load.ts";
import { stepsForPlace, WaitedSteps } from "./waited-steps.ts";

/**
 * Prompt tokens at a server from which others wait for them to be computed, and not for a place. First tokens of short prompts may just
 * be seen late.
 */
export const longPrompts = 1_024;

/** How many requests a server works on at once: as many as ran when another one waited, or more that ran since. */
export class Places {
  #most = Number.POSITIVE_INFINITY;
  readonly #ended = new Ended();
  readonly #waited = new WaitedSteps();

  /** Takes a reading of the server's metrics, and writes `mostRequests` and `msUntilPlace`. */
  read(live: LiveState): void {
    const { metrics } = live;
    if (metrics === undefined) return;
    const ended = live.sentRequests - live.runningRequests;
    this.#ended.read(ended, metrics.at);
    if (metrics.tellsRequests) {
      const { steps, atOnce } = this.#waited.read(metrics, ended, !waitForPlaces(live));
      if (steps >= stepsForPlace) this.#most = Math.max(1, atOnce);
      else if (metrics.runningRequests > this.#most) this.#most = metrics.runningRequests;
    }
    live.mostRequests = metrics.maxRunningRequests ?? this.#most;
    live.msUntilPlace = this.#ended.msUntilNext(metrics.at);
  }
}

/** Whether requests that wait at a server wait for a place: there is hardly a prompt to compute. */
export const waitForPlaces = (live: LiveState): boolean => tokensAhead(live) < longPrompts;
