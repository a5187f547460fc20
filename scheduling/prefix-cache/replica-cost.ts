import { constants } from "../load-constants.ts";
import type { Popularity } from "./popularity.ts";

const { secondCopyWorth, shareSamples } = constants;

/** What computing a token anew costs that another endpoint has cached. */
export interface ReplicaTerms {
  /** Requests of an endpoint among which the cost of a copy is shared: those that have the block. */
  readonly requests: number;
  /** The cost where hardly any of them has it, and where no other endpoint has it either. */
  readonly most: number;
  /** The cost where all of them have it: of endpoints that are as free the one that has it stays the better one. */
  readonly least: number;
}

/**
 * What an uncached token of a prompt costs on each of some endpoints, on average over the blocks that it lacks. A block that a
 * part of all prompts has is needed by as large a part of the requests of all endpoints, and the endpoints that have it share
 * these. So one more copy serves many requests where few endpoints have what many prompts begin with, and next to none
 * where a conversation has one already.
 *
 * @param keys of the prompt's blocks
 * @param matched how many of them, from the start, each endpoint has
 */
export function replicaCosts(
  keys: Float64Array,
  matched: Float64Array,
  popularity: Popularity,
  terms: ReplicaTerms,
): Float64Array {
  const prices = new Float64Array(matched.length);
  const priceOfHas = new Map<number, number>();
  let [last, price] = [-1, 0];
  for (let at = 0; at < matched.length; at += 1) {
    const has = matched[at] as number;
    if (has !== last) {
      last = has;
      price = priceOfHas.get(has) ?? replicaCostFrom(has, keys, matched, popularity, terms);
      priceOfHas.set(has, price);
    }
    prices[at] = price;
  }
  return prices;
}

/** The price of the blocks after the first `has`. */
function replicaCostFrom(
  has: number,
  keys: Float64Array,
  matched: Float64Array,
  popularity: Popularity,
  { requests, most, least }: ReplicaTerms,
): number {
  let copies = 0;
  for (let at = 0; at < matched.length; at += 1) if ((matched[at] as number) > has) copies += 1;
  if (copies === 0) return most;
  const worth = copies === 1 ? secondCopyWorth : 1;
  const usesOfAll = (worth * requests * matched.length) / (copies + 1);
  return meanOf(keys.subarray(has), (key) =>
    replicaCost(usesOfAll * popularity.share(key), { most, least }),
  );
}

/** What a token costs that so many requests use. */
export const replicaCost = (
  uses: number,
  { most, least }: Pick<ReplicaTerms, "most" | "least">,
): number => Math.min(most, Math.max(least, 1 / uses));

/** The mean over some of the blocks of these keys. */
export function meanOf(keys: Float64Array, of: (key: number) => number): number {
  const step = Math.ceil(keys.length / shareSamples);
  let sum = 0;
  let looked = 0;
  for (let at = 0; at < keys.length; at += step) {
    sum += of(keys[at] as number);
    looked += 1;
  }
  return sum / looked;
}
