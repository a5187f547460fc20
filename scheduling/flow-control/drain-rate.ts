/** Milliseconds over which dispatches count, the older ones less. */
const memory = 10_000;
/** Seconds that `Retry-After` is at most. */
const longest = 60;

/** How many requests leave the queues, lately. */
export class DrainRate {
  #count = 0;
  #at = 0;
  #began: number | undefined;

  add(now: number): void {
    this.#count = this.#countAt(now) + 1;
    this.#at = now;
    this.#began ??= now;
  }

  /** Requests a second. */
  perSecond(now: number): number {
    if (this.#began === undefined) return 0;
    // Shortly after the beginning less than the whole memory has been seen.
    const seen = memory * (1 - Math.exp(-Math.max(now - this.#began, 1_000) / memory));
    return (this.#countAt(now) / seen) * 1_000;
  }

  /** Whole seconds until a number of requests has left: 1 to 60. */
  secondsFor(requests: number, now: number): number {
    const rate = this.perSecond(now);
    if (rate <= 0) return longest;
    return Math.min(longest, Math.max(1, Math.ceil(requests / rate)));
  }

  #countAt(now: number): number {
    return this.#count * Math.exp(-(now - this.#at) / memory);
  }
}
