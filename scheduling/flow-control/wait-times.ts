/**
 * Reasons why queued requests wait.
 * - `no_endpoint`: the pool has no endpoint that can answer.
 * - `no_slot`: no endpoint has a free slot.
 * - `preferred_endpoint`: an endpoint has a free slot, but the request waits for another one, which is cheaper or the
 *   only one that can serve it.
 * - `order`: an endpoint has a free slot, but it is held back for other bands or flows.
 */
export type WaitReason = "no_endpoint" | "no_slot" | "preferred_endpoint" | "order";

export type WaitedSeconds = Readonly<Record<WaitReason, number>>;

/**
 * Sums up the time that requests have been queued, by reason. The last dispatch determines the reason, for all queued
 * requests together, so that a change takes the same time for any number of requests.
 */
export class WaitTimes {
  readonly #seconds = { no_endpoint: 0, no_slot: 0, preferred_endpoint: 0, order: 0 };
  #requests = 0;
  #setAside = 0;
  #reason: WaitReason = "no_slot";
  #since = 0;

  /** Sets the number of queued requests. */
  resized(requests: number, now: number): void {
    this.#add(now);
    this.#requests = requests;
  }

  /**
   * Sets the reason of all queued requests.
   * @param setAside number of queued requests that wait for a preferred endpoint instead
   */
  blocked(reason: WaitReason, setAside: number, now: number): void {
    this.#add(now);
    this.#reason = reason;
    this.#setAside = setAside;
  }

  /** Returns the request-seconds until `now`. */
  seconds(now: number): WaitedSeconds {
    this.#add(now);
    return { ...this.#seconds };
  }

  #add(now: number): void {
    const passed = Math.max(0, now - this.#since) / 1_000;
    this.#since = Math.max(now, this.#since);
    const setAside = Math.min(this.#setAside, this.#requests);
    this.#seconds.preferred_endpoint += setAside * passed;
    this.#seconds[this.#reason] += (this.#requests - setAside) * passed;
  }
}
