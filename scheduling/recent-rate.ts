import { constants } from "./load-constants.ts";

const { rateMemoryMs } = constants;

/** How often something happens, lately. */
export class RecentRate {
  #count = 0;
  #at = 0;
  #began: number | undefined;

  /** @param times that it happened. Default: once */
  add(now: number, times = 1): void {
    if (times === 0) return;
    this.#count = this.#countAt(now) + times;
    this.#at = now;
    this.#began ??= now;
  }

  /** Milliseconds since the first; 0 before it. */
  seenFor(now: number): number {
    return now - (this.#began ?? now);
  }

  /** Times a second; 0 before the first. */
  perSecond(now: number): number {
    if (this.#began === undefined) return 0;
    // Shortly after the beginning less than the whole memory has been seen.
    const seen = rateMemoryMs * (1 - Math.exp(-Math.max(now - this.#began, 1_000) / rateMemoryMs));
    return (this.#countAt(now) / seen) * 1_000;
  }

  #countAt(now: number): number {
    return this.#count * Math.exp(-(now - this.#at) / rateMemoryMs);
  }
}
