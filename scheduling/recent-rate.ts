import { constants } from "./load-constants.ts";

const { recentMs } = constants;

/** Recent rate of an event. */
export class RecentRate {
  #count = 0;
  #at = 0;
  #began: number | undefined;

  /** @param times number of events. Default 1 */
  add(now: number, times = 1): void {
    if (times === 0) return;
    this.#count = this.#countAt(now) + times;
    this.#at = now;
    this.#began ??= now;
  }

  /** Returns the time since the first event, in ms; 0 before it. */
  seenFor(now: number): number {
    return now - (this.#began ?? now);
  }

  /** Returns events per second; 0 before the first event. */
  perSecond(now: number): number {
    if (this.#began === undefined) return 0;
    // Shortly after the first event, the observed time is shorter than the memory.
    const seen = recentMs * (1 - Math.exp(-Math.max(now - this.#began, 1_000) / recentMs));
    return (this.#countAt(now) / seen) * 1_000;
  }

  #countAt(now: number): number {
    return this.#count * Math.exp(-(now - this.#at) / recentMs);
  }
}
