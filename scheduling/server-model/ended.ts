import { RecentRate } from "../recent-rate.ts";

/** Milliseconds that a place takes to come at most, as far as is known: what ended longer ago is hardly remembered. */
const longest = 10_000;

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
    return Math.min(longest, 1_000 / this.#rate.perSecond(now));
  }
}
