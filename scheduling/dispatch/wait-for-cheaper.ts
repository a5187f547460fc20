import type { Endpoint } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { longQueueTokens, recentMs, recomputeFactor, stepTokens } = constants;

/** Pool state when a request is considered for dispatch. */
export interface Moment {
  /** Time, in ms. */
  readonly now: number;
  /** Time in which a server of the pool computes a prompt token, in ms. */
  readonly msPerToken: number;
  /** Time until each server has a free slot, in ms; 0 if it has one or the time is unknown. */
  readonly until: ReadonlyMap<Endpoint, number>;
}

/**
 * Decides whether a request waits because it is much cheaper on a full server than on any server with a free slot: the
 * full server has its prompt cached, or has fewer tokens to compute before it. The request waits as long as waiting is
 * cheaper, and then takes any slot. Without this rule, a full pool would spread every prompt over all caches, which is
 * more work and keeps the pool full, and short prompts would queue behind documents. All costs are in prompt tokens to
 * compute.
 */
export class WaitForCheaper {
  readonly #costsOn: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>;
  /** Cost of its prompt by server, in tokens; undefined before the first call of `shouldWait`. */
  #costs: Map<Endpoint, number> | undefined;
  /** Time of the first call of `shouldWait`, in ms. */
  #since = 0;

  /** @param costsOn returns the cost of the prompt on each of the given servers now, in tokens to compute */
  constructor(costsOn: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>) {
    this.#costsOn = costsOn;
  }

  /** Whether the request should wait instead of taking one of the `free` slots. */
  shouldWait(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const isNew = this.#costs === undefined;
    if (isNew) {
      this.#readCosts(all, moment.now);
      this.#since = moment.now;
    }
    if (this.#isWorthIt(all, free, moment)) return true;
    if (isNew) return false;
    // Requests with the same prompt may have been sent since, so it may be cached on other servers now.
    this.#readCosts(all, moment.now);
    return this.#isWorthIt(all, free, moment);
  }

  #readCosts(all: readonly Endpoint[], now: number): void {
    const costs = this.#costsOn(all, now);
    this.#costs = new Map(all.map((endpoint, at) => [endpoint, costs[at] as number]));
  }

  /**
   * Whether waiting saves at least `stepTokens` tokens and the longest wait is not over: the time in which the saved
   * tokens are computed, at most `recentMs`.
   */
  #isWorthIt(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const saved = this.#least(free, moment) - this.#least(all, moment);
    if (!(saved >= stepTokens)) return false;
    return moment.now - this.#since < Math.min(recentMs, moment.msPerToken * saved);
  }

  /**
   * Returns the lowest cost on any of the given servers until the response begins, in tokens: the uncached prompt, the
   * tokens to compute before it, and the wait for a slot.
   */
  #least(endpoints: readonly Endpoint[], { until, msPerToken }: Moment): number {
    let least = Number.POSITIVE_INFINITY;
    for (const endpoint of endpoints) {
      const own = this.#costs?.get(endpoint);
      if (own === undefined) continue;
      const { runningTokens, externalTokens } = endpoint.live;
      const ahead = Math.max(0, runningTokens + externalTokens - longQueueTokens);
      const slot = (until.get(endpoint) ?? 0) / msPerToken;
      least = Math.min(least, recomputeFactor * own + ahead + slot);
    }
    return least;
  }
}
