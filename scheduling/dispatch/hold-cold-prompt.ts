import type { Endpoint } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { mostPart, recheckMs } = constants;

/**
 * Decides whether a cold prompt waits in the picker because it would evict prefixes that will be used again, on every
 * server. Without this rule, a pool with more sessions than its caches hold computes each turn of each session whole:
 * the caches always evict the prefix of the next turn. With it, some sessions wait, and the others find their prefixes.
 */
export class HoldColdPrompt {
  readonly #evicts: (endpoints: readonly Endpoint[], now: number) => boolean;
  readonly #until: number;
  /** The last result of `isHeld`. */
  isHeldNow = false;
  /** Time until which the last result is valid, in ms. */
  #checkedUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param evicts whether the prompt would evict such prefixes on each of the given servers
   * @param arrivedAt time at which the request arrived, in ms
   * @param timeToLive time for which it may wait, in ms
   */
  constructor(
    evicts: (endpoints: readonly Endpoint[], now: number) => boolean,
    arrivedAt: number,
    timeToLive: number,
  ) {
    this.#evicts = evicts;
    this.#until = arrivedAt + mostPart * timeToLive;
  }

  /** Whether the request waits now. */
  isHeld(endpoints: readonly Endpoint[], now: number): boolean {
    if (now < this.#checkedUntil) return true;
    this.isHeldNow = now < this.#until && this.#evicts(endpoints, now);
    if (this.isHeldNow) this.#checkedUntil = now + recheckMs;
    return this.isHeldNow;
  }
}
