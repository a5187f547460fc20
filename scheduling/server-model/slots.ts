import type { LiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { RecentRate } from "../recent-rate.ts";
import { tokensAhead } from "./endpoint-load.ts";
import { QueuedSteps } from "./queued-steps.ts";

const { slotWaitSteps, recentMs, stepTokens } = constants;

/** Rate at which requests of this picker end at a server. */
export class Ended {
  readonly #rate = new RecentRate();
  #count = 0;

  /** Takes the number of requests that have ended there so far. */
  read(count: number, now: number): void {
    this.#rate.add(now, Math.max(0, count - this.#count));
    this.#count = count;
  }

  /**
   * Expected time until the next request ends and frees a slot, in ms, at most `recentMs`; 0 if no request has
   * ended yet.
   */
  msUntilNext(now: number): number {
    if (this.#count === 0) return 0;
    return Math.min(recentMs, 1_000 / this.#rate.perSecond(now));
  }
}

/**
 * Concurrency limit of a server for the cost model: the number of requests that ran while another request waited
 * through two steps, or a higher number if more requests ran since. Infinite until a request has waited. Unlike
 * `EstimatedConcurrency`, it never tries more slots.
 */
export class ServerSlots {
  #most = Number.POSITIVE_INFINITY;
  readonly #ended = new Ended();
  readonly #waited = new QueuedSteps();

  /**
   * Updates the limit from a reading of the server's metrics, and sets `live.maxConcurrentRequests` and
   * `live.msUntilSlot`.
   */
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

/** Whether waiting requests at a server wait for a slot: it has too few prompt tokens to compute to fill a step. */
export const waitForSlots = (live: LiveState): boolean => tokensAhead(live) < stepTokens;
