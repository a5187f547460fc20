import { constants } from "../load-constants.ts";
import type { Popularity } from "./popularity.ts";

const { fewestSamples, secondCopyWorth } = constants;

/** Parameters of the cost of computing a token that another endpoint has cached. */
export interface ReplicaTerms {
  /**
   * Number of requests per endpoint among which the cost of a copy is divided, if all of them have the block. A rarer
   * block divides it among fewer requests.
   */
  readonly requests: number;
  /** Cost per token if almost no request has the block, or if no other endpoint has it. */
  readonly most: number;
  /**
   * Minimum cost per token. It is above 0 so that, among equally free endpoints, the endpoint with the block wins.
   * Default: 0
   */
  readonly least?: number;
}

/**
 * Returns the cost of an uncached token of a prompt on each endpoint, in tokens: the mean over the blocks that the
 * endpoint lacks. A block that is in a share of all prompts is needed by the same share of all endpoints' requests, and
 * the endpoints that have it divide these requests among themselves. One more copy therefore serves many requests if
 * few endpoints have a popular prefix, and almost none if another endpoint already has the conversation.
 *
 * @param keys keys of the prompt's blocks
 * @param matched number of blocks, from the start, that each endpoint has
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

/** Cost per token of the blocks after the first `has`. */
function replicaCostFrom(
  has: number,
  keys: Float64Array,
  matched: Float64Array,
  popularity: Popularity,
  { requests, most, least = 0 }: ReplicaTerms,
): number {
  let copies = 0;
  for (let at = 0; at < matched.length; at += 1) if ((matched[at] as number) > has) copies += 1;
  if (copies === 0) return most;
  const worth = copies === 1 ? secondCopyWorth : 1;
  const usesOfAll = (worth * requests * matched.length) / (copies + 1);
  return meanOf(keys.subarray(has), (key) =>
    Math.max(least, replicaCost(usesOfAll * popularity.share(key), most)),
  );
}

/** Cost per token of a block that `uses` requests use. */
export const replicaCost = (uses: number, most: number): number => Math.min(most, 1 / uses);

/** Mean over a sample of the blocks. */
export function meanOf(keys: Float64Array, of: (key: number) => number): number {
  const step = Math.ceil(keys.length / fewestSamples);
  let sum = 0;
  let looked = 0;
  for (let at = 0; at < keys.length; at += step) {
    sum += of(keys[at] as number);
    looked += 1;
  }
  return sum / looked;
}
