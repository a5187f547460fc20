const windowMs = 60_000;
const firstWaitMs = 30_000;
const longestWaitMs = 600_000;
/** Number of removals within the window after which another controller is assumed to remove the entry. */
const most = 3;

interface Conflict {
  /** Times at which the entry was written back, within the window. */
  times: number[];
  wait: number;
  until: number;
}

/**
 * Slows down the writes of an entry that another controller keeps removing, such as a gateway controller that replaces
 * the whole list. After three removals in a minute the writer waits 30 s, then longer each time, up to 10 min.
 */
export class ContentionGuard {
  readonly #conflicts = new Map<string, Conflict>();
  readonly #written = new Set<string>();
  readonly #now: () => number;

  /** @param now clock in ms, with any origin */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until a missing entry may be written; 0 for immediately. */
  wait(key: string): number {
    const conflict = this.#conflicts.get(key);
    return conflict === undefined ? 0 : Math.max(0, conflict.until - this.#now());
  }

  /** Records that a missing entry was written. Returns whether the entry is contended now. */
  added(key: string): boolean {
    if (!this.#written.has(key)) {
      this.#written.add(key);
      return false;
    }
    const now = this.#now();
    const conflict = this.#conflicts.get(key) ?? { times: [], wait: 0, until: 0 };
    this.#conflicts.set(key, conflict);
    const isStillOn = conflict.wait > 0 && now - conflict.until < longestWaitMs;
    if (!isStillOn) {
      conflict.wait = 0;
      conflict.times = [...conflict.times.filter((time) => now - time < windowMs), now];
      if (conflict.times.length < most) return false;
    }
    conflict.wait = Math.min(longestWaitMs, Math.max(firstWaitMs, conflict.wait * 2));
    conflict.until = now + conflict.wait;
    conflict.times = [];
    return true;
  }

  /** Records that this controller removed the entry. */
  removed(key: string): void {
    this.#written.delete(key);
    this.#conflicts.delete(key);
  }
}
