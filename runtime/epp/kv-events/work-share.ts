export interface WorkShareOptions {
  /** Part of the time that the work may take, from 0 to 1. */
  readonly share: number;
  /** Milliseconds of work that may come at once. */
  readonly burstMs: number;
  /** Milliseconds of the longest rest, for a process that stood still and took that for work. */
  readonly longestRestMs: number;
}

/** Holds work to a part of the time, so that what a peer sends without end leaves the rest to others (a leaky bucket). */
export class WorkShare {
  readonly #options: WorkShareOptions;
  /** Milliseconds of work that are not paid for yet. */
  #debt = 0;
  #since = 0;

  constructor(options: WorkShareOptions) {
    this.#options = options;
  }

  /**
   * Returns for how many milliseconds to rest after some of work.
   *
   * @param now milliseconds, when the work has ended
   */
  restAfter(workMs: number, now: number): number {
    const { share, burstMs, longestRestMs } = this.#options;
    this.#debt = Math.max(0, this.#debt - (now - workMs - this.#since) * share) + workMs;
    this.#since = now;
    if (this.#debt <= burstMs) return 0;
    const rest = Math.min(longestRestMs, this.#debt / share);
    if (rest === longestRestMs) this.#debt = rest * share;
    return rest;
  }
}
