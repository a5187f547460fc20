import { setImmediate } from "node:timers/promises";

/** A clock whose time passes only while everything that runs on it sleeps. */
export class VirtualClock {
  #now = 0;
  #sleeping: Array<{ readonly until: number; wake(): void }> = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => {
      this.#sleeping.push({ until: this.#now + ms, wake });
    });
  }

  /**
   * Lets time pass until a promise is settled.
   *
   * @throws Error if nothing sleeps and the promise is pending: it waits for something else than this clock
   */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    void promise.then(
      () => {
        isSettled = true;
      },
      () => {
        isSettled = true;
      },
    );
    for (;;) {
      await setImmediate();
      if (isSettled) return promise;
      const until = Math.min(...this.#sleeping.map((each) => each.until));
      if (until === Number.POSITIVE_INFINITY) throw new Error("nothing sleeps on this clock");
      this.#now = until;
      const due = this.#sleeping.filter((each) => each.until <= until);
      this.#sleeping = this.#sleeping.filter((each) => each.until > until);
      for (const { wake } of due) wake();
    }
  }
}
