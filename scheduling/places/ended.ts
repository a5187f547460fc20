import { RecentRate } from "../recent-rate.ts";

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
    const rate = this.#rate.perSecond(now);
    return rate > 0 ? 1_000 / rate : 0;
  }
}
