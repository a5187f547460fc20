/**
 * Reasons why queued requests wait.
 * - `no_endpoint`: the pool has no endpoint that can answer.
 * - `no_slot`: no endpoint has a free slot.
 * - `preferred_endpoint`: an endpoint has a free slot, but the request waits for another one, which is cheaper or the
 *   only one that can serve it.
 * - `working_set`: its prompt would evict prefixes that will be used again, on every endpoint.
 * - `order`: an endpoint has a free slot, but it is held back for other bands or flows.
 */
export type WaitReason = "no_endpoint" | "no_slot" | "preferred_endpoint" | "working_set" | "order";

/** Numbers of requests that leave a free slot to others, by reason. */
type SetAside = Readonly<Record<"preferred_endpoint" | "working_set", number>>;

const noneSetAside: SetAside = { preferred_endpoint: 0, working_set: 0 };

export type WaitedSeconds = Readonly<Record<WaitReason, number>>;

/**
 * Sums up the time that requests have been queued, by reason. The last dispatch determines the reason, for all queued
 * requests together, so that a change takes the same time for any number of requests.
 */
export class WaitTimes {
  readonly #seconds: Record<WaitReason, number> = {
    no_endpoint: 0,
    no_slot: 0,
    preferred_endpoint: 0,
    working_set: 0,
    order: 0,
  };
  #requests = 0;
  #setAside = noneSetAside;
  #reason: WaitReason = "no_slot";
  #since = 0;

  /** Sets the number of queued requests. */
  resized(requests: number, now: number): void {
    this.#add(now);
    this.#requests = requests;
  }

  /**
   * Sets the reason of all queued requests.
   * @param setAside numbers of queued requests that leave a free slot to others. Default: none
   */
  blocked(reason: WaitReason, now: number, setAside = noneSetAside): void {
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
    let rest = this.#requests;
    for (const reason of ["working_set", "preferred_endpoint"] as const) {
      const requests = Math.min(this.#setAside[reason], rest);
      this.#seconds[reason] += requests * passed;
      rest -= requests;
    }
    this.#seconds[this.#reason] += rest * passed;
  }
}
