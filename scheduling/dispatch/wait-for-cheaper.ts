import type { Endpoint } from "../endpoint.ts";
import { constants } from "../load-constants.ts";

const { leastSaving, longestContestedWaitMs, longestWaitMs, shortWaitTokens, waitFactor } =
  constants;

/** What a pool is like when a request is asked. */
export interface Moment {
  /** Milliseconds. */
  readonly now: number;
  /** What a prompt token takes to compute there. */
  readonly msPerToken: number;
  /** Milliseconds until a server will have a slot for another request; 0 if it has one, or nothing is known. */
  readonly until: ReadonlyMap<Endpoint, number>;
  /** Others that wait may want the slots, and cost less there. */
  readonly isContested: boolean;
}

/**
 * A request that costs much less on servers that are full than on any with a free slot: they have its prompt cached, or fewer
 * tokens to compute before it. It waits for one of them as long as that is cheaper, and then goes to any whose slot no other
 * request wants. Without that a full pool would spread every prompt over all caches, which takes more work, and would stay
 * full; and a short prompt would go behind a document.
 */
export class WaitForCheaper {
  readonly #costsOn: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>;
  /** Cost of its prompt, in tokens, by server; undefined before the first question. */
  #costs: Map<Endpoint, number> | undefined;
  #since = 0;

  /** @param costsOn returns the cost of its prompt on each of some servers now, in tokens to compute */
  constructor(costsOn: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>) {
    this.#costsOn = costsOn;
  }

  /** Whether the request leaves the slots of `free` to others for now. */
  shouldWait(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const isNew = this.#costs === undefined;
    if (isNew) {
      this.#readCosts(all, moment.now);
      this.#since = moment.now;
    }
    if (this.#isWorthIt(all, free, moment)) return true;
    if (isNew) return false;
    // Others with the same prompt may have gone since: it is cached now where they went.
    this.#readCosts(all, moment.now);
    return this.#isWorthIt(all, free, moment);
  }

  #readCosts(all: readonly Endpoint[], now: number): void {
    const costs = this.#costsOn(all, now);
    this.#costs = new Map(all.map((endpoint, at) => [endpoint, costs[at] as number]));
  }

  #isWorthIt(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const saved = this.#least(free, moment) - this.#least(all, moment);
    if (!(saved >= leastSaving)) return false;
    const { now, msPerToken, isContested } = moment;
    const most = isContested ? longestContestedWaitMs : Math.min(longestWaitMs, msPerToken * saved);
    return now - this.#since < most;
  }

  /** The least that is computed, in tokens, until the request has its answer from one of some servers. */
  #least(endpoints: readonly Endpoint[], { until, msPerToken }: Moment): number {
    let least = Number.POSITIVE_INFINITY;
    for (const endpoint of endpoints) {
      const own = this.#costs?.get(endpoint);
      if (own === undefined) continue;
      const { runningTokens, externalTokens } = endpoint.live;
      const ahead = Math.max(0, runningTokens + externalTokens - shortWaitTokens);
      const slot = (until.get(endpoint) ?? 0) / msPerToken;
      least = Math.min(least, waitFactor * own + ahead + slot);
    }
    return least;
  }
}
