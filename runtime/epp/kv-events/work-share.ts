export interface WorkShareOptions {
  /** Share of the time that the work may take, from 0 to 1. */
  readonly share: number;
  /** Work that is allowed without a rest, in ms. */
  readonly burstMs: number;
  /**
   * Longest rest, in ms. Without this limit, a process that was suspended would rest too long, because it counts that
   * time as work.
   */
  readonly longestRestMs: number;
}

/**
 * Limits work to a share of the time, so that a peer that sends without end does not use up the event loop (a leaky
 * bucket).
 */
export class WorkShare {
  readonly #options: WorkShareOptions;
  /** Work since the last rests, minus its share of the time, in ms. */
  #debt = 0;
  #since = 0;

  constructor(options: WorkShareOptions) {
    this.#options = options;
  }

  /**
   * Returns the milliseconds to rest after `workMs` of work.
   *
   * @param now time at the end of the work, in ms
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
