import type { Endpoint } from "../endpoint.ts";

/** Up to so many tokens in front of a request cost about a step of the engine: such a wait is short. */
const beforeDocuments = 8_192;
/** Tokens for which it pays to wait at all: a step of an engine computes as many beside its other work. */
const fewest = 1_024;
/**
 * What a token of the prompt costs, to one in front of it: computing it also drops from a cache what others come for. If requests
 * waited no longer than they save themselves, a pool whose caches hold hardly one copy of each prefix would not get out of its first
 * seconds: each goes where there is a place, and drops there what the next one needs.
 */
const worth = 2;
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
  /** Milliseconds until a server will have a place for another request; 0 where it has one, or nothing is known. */
  readonly until: ReadonlyMap<Endpoint, number>;
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
  readonly #costsOn: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>;
  /** What its prompt costs, in tokens, by server; undefined before somebody asked. */
  #costs: Map<Endpoint, number> | undefined;
  #since = 0;

  /** @param costsOn what its prompt costs on each of some servers now, in tokens to compute */
  constructor(costsOn: (endpoints: readonly Endpoint[], now: number) => ArrayLike<number>) {
    this.#costsOn = costsOn;
  }

  /** Whether the request leaves the places of `free` to others for now. */
  waits(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const isNew = this.#costs === undefined;
    if (isNew) {
      this.#look(all, moment.now);
      this.#since = moment.now;
    }
    if (this.#isWorthIt(all, free, moment)) return true;
    // Others may have gone since, with the same prompt: where they went it is cached now.
    if (!isNew) this.#look(all, moment.now);
    return !isNew && this.#isWorthIt(all, free, moment);
  }

  #look(all: readonly Endpoint[], now: number): void {
    const costs = this.#costsOn(all, now);
    this.#costs = new Map(all.map((endpoint, at) => [endpoint, costs[at] as number]));
  }

  #isWorthIt(all: readonly Endpoint[], free: readonly Endpoint[], moment: Moment): boolean {
    const { now, msPerToken, isContested } = moment;
    const least = this.#least(all, beforeDocuments, moment);
    if (!(this.#least(free, beforeDocuments, moment) - least >= fewest)) return false;
    const saved = this.#least(free, beforeOthers, moment) - least;
    const most = isContested ? longestContested : Math.min(longest, msPerToken * saved);
    return now - this.#since < most;
  }

  /**
   * The least that it costs, in tokens, until the request has its answer from one of some servers.
   * @param without tokens in front of it that do not count
   */
  #least(
    endpoints: readonly Endpoint[],
    without: number,
    { until, msPerToken }: Pick<Moment, "until" | "msPerToken">,
  ): number {
    let least = Number.POSITIVE_INFINITY;
    for (const endpoint of endpoints) {
      const cost = this.#costs?.get(endpoint);
      if (cost === undefined) continue;
      const { runningTokens, othersTokens } = endpoint.live;
      const inFront = Math.max(0, runningTokens + othersTokens - without);
      const place = (until.get(endpoint) ?? 0) / msPerToken;
      least = Math.min(least, worth * cost + inFront + place);
    }
    return least;
  }
}
