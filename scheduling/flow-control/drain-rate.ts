import { RecentRate } from "../recent-rate.ts";

/** Seconds that `Retry-After` is at most. */
const longest = 60;

/** How many requests leave the queues, lately. */
export class DrainRate extends RecentRate {
  /** Whole seconds until a number of requests has left: 1 to 60. */
  secondsFor(requests: number, now: number): number {
    const rate = this.perSecond(now);
    if (rate <= 0) return longest;
    return Math.min(longest, Math.max(1, Math.ceil(requests / rate)));
  }
}
