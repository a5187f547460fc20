import type { Endpoint } from "../endpoint.ts";

/** Milliseconds that a token takes to compute, by which a wait is bounded: engines compute some 5,000 to 20,000 a second. */
const perToken = 0.1;
/** What a token costs that is not cached, as in `prefill-cost-scorer`: its time, and its room in the cache. */
const recompute = 2;
/** Up to so many tokens in front of a request cost about a step of the engine: such a wait is short. */
const beforeDocuments = 8_192;
/** Milliseconds that a request waits at most: its client does not wait for ever. */
const longest = 2_000;
/** Tokens for which it pays to wait at all: a step of an engine computes as many beside its other work. */
const fewest = 1_024;

/**
 * A request that costs much less on servers that are full than on any that has room: they have its prompt cached, or nobody
 * else's to compute before it. It waits for one of them as long as that is cheaper than what it would wait for where there is
 * room, and then goes to any. Without that a pool whose servers are full for a moment would spread every prompt over all
 * caches, which takes more work, and would stay full; and a short prompt would go behind a document.
 */
export class CheaperElsewhere {
  readonly #uncachedTokens: (endpoints: readonly Endpoint[]) => ArrayLike<number>;
  /** Prompt tokens that are not cached, by server; undefined before somebody asked. */
  #uncached: Map<Endpoint, number> | undefined;
  #since = 0;

  constructor(uncachedTokens: (endpoints: readonly Endpoint[]) => ArrayLike<number>) {
    this.#uncachedTokens = uncachedTokens;
  }

  /** Whether the request leaves the places of `free` to others for now. */
  waits(all: readonly Endpoint[], free: readonly Endpoint[], now: number): boolean {
    if (this.#uncached === undefined) {
      const tokens = this.#uncachedTokens(all);
      this.#uncached = new Map(all.map((endpoint, at) => [endpoint, tokens[at] as number]));
      this.#since = now;
    }
    const saved = this.#least(free) - this.#least(all);
    return saved >= fewest && now - this.#since < Math.min(longest, perToken * saved);
  }

  /** The fewest tokens that the request costs on one of some servers. */
  #least(endpoints: readonly Endpoint[]): number {
    let least = Number.POSITIVE_INFINITY;
    for (const endpoint of endpoints) {
      const uncached = this.#uncached?.get(endpoint);
      if (uncached === undefined) continue;
      const inFront = Math.max(0, endpoint.live.runningTokens - beforeDocuments);
      least = Math.min(least, recompute * uncached + inFront);
    }
    return least;
  }
}
