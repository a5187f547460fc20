import type { Endpoint } from "../endpoint.ts";

/** Up to so many tokens in front of a request cost about a step of the engine: such a wait is short. */
const beforeDocuments = 8_192;
/** Tokens for which it pays to wait at all: a step of an engine computes as many beside its other work. */
const fewest = 1_024;
/**
 * What a token costs that is not cached, to one in front of it: computing it also drops from a cache what others come for. If requests
 * waited no longer than they save themselves, a pool whose caches hold hardly one copy of each prefix would not get out of its first
 * seconds: each goes where there is a place, and drops there what the next one needs.
 */
const recomputeFactor = 4;
/**
 * Up to so many, two steps of the engine, make no difference to how long a request waits. Those beyond them do, so that not all
 * who give up their caches come at once.
 */
const beforeOthers = 4_096;
/** Milliseconds that a request waits at most where nobody else wants the place: its client does not wait for ever. */
const longest = 5_000;
/** The same where others do. */
const longestContested = 10_000;

/** What a pool is like when a request is asked. */
export interface Moment {
  /** Milliseconds. */
  readonly now: number;
  /** What a prompt token takes to compute there. */
  readonly msPerToken: number;
  /** Others that wait may want the places, and cost less there. */
  readonly isContested: boolean;
}

/**
 * A request that costs much less on servers that are full than on any that has room: they have its prompt cached, or nobody
 * else's to compute before it. It waits for one of them as long as that is cheaper than what it would wait for where there is
 * room, and then goes to any whose place no other request wants. Without that a pool whose servers are full would spread every
 * prompt over all caches, which takes more work, and would stay full; and a short prompt would go behind a document.
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
  waits(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const isNew = this.#uncached === undefined;
    if (isNew) {
      this.#look(all);
      this.#since = moment.now;
    }
    if (this.#isWorthIt(all, free, moment)) return true;
    // Others may have gone since, with the same prompt: where they went it is cached now.
    if (!isNew) this.#look(all);
    return !isNew && this.#isWorthIt(all, free, moment);
  }

  #look(all: readonly Endpoint[]): void {
    const tokens = this.#uncachedTokens(all);
    this.#uncached = new Map(all.map((endpoint, at) => [endpoint, tokens[at] as number]));
  }

  #isWorthIt(
    all: readonly Endpoint[],
    free: readonly Endpoint[],
    { now, msPerToken, isContested }: Moment,
  ): boolean {
    const least = this.#least(all, beforeDocuments);
    if (!(this.#least(free, beforeDocuments) - least >= fewest)) return false;
    const saved = this.#least(free, beforeOthers) - least;
    const most = isContested ? longestContested : Math.min(longest, msPerToken * saved);
    return now - this.#since < most;
  }

  /**
   * The least that it costs, in tokens, until the request has its answer from one of some servers.
   * @param without tokens in front of it that do not count
   */
  #least(endpoints: readonly Endpoint[], without: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const endpoint of endpoints) {
      const uncached = this.#uncached?.get(endpoint);
      if (uncached === undefined) continue;
      const { runningTokens, othersTokens } = endpoint.live;
      const inFront = Math.max(0, runningTokens + othersTokens - without);
      least = Math.min(least, recomputeFactor * uncached + inFront);
    }
    return least;
  }
}
