const windowMs = 60_000;
const firstWaitMs = 30_000;
const longestWaitMs = 600_000;
/** After this many removals within the window another controller is assumed to remove the entry. */
const most = 3;

interface Conflict {
  /** When the entry was put back, within the window. */
  times: number[];
  wait: number;
  until: number;
}

/**
 * Keeps the controller from writing an entry again and again that somebody else keeps taking away, as gateways do that
 * replace the whole list: after three times in a minute it waits, longer each time.
 */
export class ContentionGuard {
  readonly #conflicts = new Map<string, Conflict>();
  readonly #written = new Set<string>();
  readonly #now: () => number;

  /** @param now milliseconds since some fixed moment */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until an entry may be written that is not there; 0 for at once. */
  wait(key: string): number {
    const conflict = this.#conflicts.get(key);
    return conflict === undefined ? 0 : Math.max(0, conflict.until - this.#now());
  }

  /** An entry was written that was not there. Answers whether it is contended from now on. */
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

  /** The entry was taken away by this controller. */
  removed(key: string): void {
    this.#written.delete(key);
    this.#conflicts.delete(key);
  }
}
