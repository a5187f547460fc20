import type { LiveState } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { RecentRate } from "../recent-rate.ts";
import { tokensAhead } from "./endpoint-load.ts";
import { QueuedSteps } from "./queued-steps.ts";

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
export class ServerSlots {
  #most = Number.POSITIVE_INFINITY;
  readonly #ended = new Ended();
  readonly #waited = new QueuedSteps();

  /** Takes a reading of the server's metrics, and writes `maxConcurrentRequests` and `msUntilSlot`. */
  read(live: LiveState): void {
    const { metrics } = live;
    if (metrics === undefined) return;
    const ended = live.sentRequests - live.runningRequests;
    this.#ended.read(ended, metrics.at);
    if (metrics.reportsRequests) {
      const { steps, atOnce } = this.#waited.read(metrics, ended, !waitForSlots(live));
      if (steps >= slotWaitSteps) this.#most = Math.max(1, atOnce);
      else if (metrics.runningRequests > this.#most) this.#most = metrics.runningRequests;
    }
    live.maxConcurrentRequests = metrics.maxRunningRequests ?? this.#most;
    live.msUntilSlot = this.#ended.msUntilNext(metrics.at);
  }
}

/** Whether requests that wait at a server wait for a place: there is hardly a prompt to compute. */
export const waitForSlots = (live: LiveState): boolean => tokensAhead(live) < fullStepTokens;
