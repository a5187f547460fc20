import { RecentRate } from "../recent-rate.ts";

/** Highest value of `Retry-After`, in seconds. */
const longest = 60;

/** Recent rate at which requests leave the queues. */
export class DrainRate extends RecentRate {
  /** Returns the whole seconds until a number of requests has left: 1 to 60. */
  secondsFor(requests: number, now: number): number {
    const rate = this.perSecond(now);
    if (rate <= 0) return longest;
    return Math.min(longest, Math.max(1, Math.ceil(requests / rate)));
  }
}
