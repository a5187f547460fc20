import type { Endpoint } from "../endpoint.ts";

/** Milliseconds that a token takes to compute, by which a wait is bounded: engines compute some 5,000 to 20,000 a second. */
const perToken = 0.1;
/** What a token costs that is not cached, as in `prefill-cost-scorer`: its time, and its room in the cache. */
const recompute = 2;
/** Milliseconds that a request waits at most: its client does not wait for ever. */
const longest = 2_000;
/** Tokens for which it pays to wait at all: a step of an engine computes as many beside its other work. */
const fewest = 256;

/**
 * A request whose prompt is cached on servers that are full, while others have room: it waits for one of them as long as that
 * is cheaper than computing the prompt anew, and then goes to any. Without that a pool whose servers are full for a moment
 * would spread every prompt over all caches, which takes more work, and would stay full.
 */
export class CachedElsewhere {
  readonly #uncachedTokens: (endpoints: readonly Endpoint[]) => ArrayLike<number>;
  /** The servers that have it cached, and until when it waits for a place there; undefined before somebody asked. */
  #wait: { readonly holders: ReadonlySet<Endpoint>; readonly until: number } | undefined;

  constructor(uncachedTokens: (endpoints: readonly Endpoint[]) => ArrayLike<number>) {
    this.#uncachedTokens = uncachedTokens;
  }

  /** Whether the request leaves the places of `free` to others for now. */
  waits(all: readonly Endpoint[], free: readonly Endpoint[], now: number): boolean {
    this.#wait ??= this.#waitFor(all, free, now);
    const { holders, until } = this.#wait;
    return now < until && !free.some((endpoint) => holders.has(endpoint));
  }

  #waitFor(all: readonly Endpoint[], free: readonly Endpoint[], now: number) {
    const uncached = this.#uncachedTokens(all);
    const has = new Set(free);
    let [least, leastFree] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const [at, endpoint] of all.entries()) {
      const tokens = uncached[at] as number;
      least = Math.min(least, tokens);
      if (has.has(endpoint)) leastFree = Math.min(leastFree, tokens);
    }
    const saved = leastFree - least;
    if (saved < fewest) return { holders: new Set<Endpoint>(), until: now };
    const holders = all.filter((_, at) => (uncached[at] as number) < least + fewest);
    const wait = Math.min(longest, recompute * perToken * saved);
    return { holders: new Set(holders), until: now + wait };
  }
}
