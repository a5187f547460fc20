/** Times, in milliseconds. */
const window = 60_000;
const firstWait = 30_000;
const longestWait = 600_000;
/** An entry that vanishes so often within the window is somebody's to take away. */
const most = 3;

interface Fight {
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
  readonly #fights = new Map<string, Fight>();
  readonly #written = new Set<string>();
  readonly #now: () => number;

  /** @param now milliseconds since some fixed moment */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until an entry may be written that is not there; 0 for at once. */
  wait(key: string): number {
    const fight = this.#fights.get(key);
    return fight === undefined ? 0 : Math.max(0, fight.until - this.#now());
  }

  /** An entry was written that was not there. Answers whether it is contended from now on. */
  added(key: string): boolean {
    if (!this.#written.has(key)) {
      this.#written.add(key);
      return false;
    }
    const now = this.#now();
    const fight = this.#fights.get(key) ?? { times: [], wait: 0, until: 0 };
    this.#fights.set(key, fight);
    const isStillOn = fight.wait > 0 && now - fight.until < longestWait;
    if (!isStillOn) {
      fight.wait = 0;
      fight.times = [...fight.times.filter((time) => now - time < window), now];
      if (fight.times.length < most) return false;
    }
    fight.wait = Math.min(longestWait, Math.max(firstWait, fight.wait * 2));
    fight.until = now + fight.wait;
    fight.times = [];
    return true;
  }

  /** The entry was taken away by this controller. */
  removed(key: string): void {
    this.#written.delete(key);
    this.#fights.delete(key);
  }
}
