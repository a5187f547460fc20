import type { LiveState } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { RecentRate } from "../recent-rate.ts";
import { tokensAhead } from "./endpoint-load.ts";
import { WaitedSteps } from "./waited-steps.ts";

const { fullStepTokens, rateMemoryMs, slotWaitSteps } = constants;

/** Requests of this picker that end at a server. */
export class Ended {
  readonly #rate = new RecentRate();
  #count = 0;

  /** So many have ended there ever. */
  read(count: number, now: number): void {
    this.#rate.add(now, Math.max(0, count - this.#count));
    this.#count = count;
  }

  /** Milliseconds until one more has ended and there is a place; 0 as long as that is not known. */
  msUntilNext(now: number): number {
    if (this.#count === 0) return 0;
    return Math.min(rateMemoryMs, 1_000 / this.#rate.perSecond(now));
  }
}

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
      if (steps >= slotWaitSteps) this.#most = Math.max(1, atOnce);
      else if (metrics.runningRequests > this.#most) this.#most = metrics.runningRequests;
    }
    live.mostRequests = metrics.maxRunningRequests ?? this.#most;
    live.msUntilPlace = this.#ended.msUntilNext(metrics.at);
  }
}

/** Whether requests that wait at a server wait for a place: there is hardly a prompt to compute. */
export const waitForPlaces = (live: LiveState): boolean => tokensAhead(live) < fullStepTokens;
