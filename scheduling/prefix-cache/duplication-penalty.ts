import type { Endpoint } from "../endpoints/endpoint.ts";
import { rendezvous } from "../endpoints/rendezvous.ts";
import { constants } from "../load-constants.ts";
import type { Popularity } from "./popularity.ts";
import { meanOf, type ReplicaTerms, replicaCost } from "./replica-cost.ts";

const { penaltyPerShortage } = constants;

/** A prompt, and the endpoints that have it cached. */
export interface CachedPrompt {
  readonly keys: Float64Array;
  readonly endpoints: readonly Endpoint[];
  /** Number of blocks, from the start of the prompt, that each endpoint has cached. */
  readonly matched: Float64Array;
}

/**
 * Returns the duplication penalty of a prompt on each endpoint, in blocks: the cost of the cache space that another
 * copy takes. If caches evict blocks that are needed again, a second copy evicts a block that no other endpoint has.
 * Each prompt therefore has one owner, the endpoint with the most of its blocks. On every other endpoint the prompt
 * pays the penalty, whether it is cached there or not, because an unused copy is evicted in time. The penalty is
 * divided by the number of requests that use a copy. A prefix that is in more requests than one endpoint gets pays no
 * penalty, because one owner is not enough for it. Undefined if the caches have space or no endpoint has a block.
 *
 * @param shortage share of the blocks whose insertion evicts a block that is needed again and that no other endpoint
 * has, from 0 to 1
 */
export function duplicationPenalties(
  { keys, endpoints, matched }: CachedPrompt,
  popularity: Popularity,
  terms: ReplicaTerms,
  shortage: number,
): Float64Array | undefined {
  const weight = Math.min(terms.most, penaltyPerShortage * shortage);
  // A penalty of less than a block changes no decision.
  if (weight * terms.most * keys.length < 1) return undefined;
  const most = matched.reduce((a, b) => Math.max(a, b), 0);
  const copies = endpoints.filter((_, at) => matched[at] === most);
  const owner = most === 0 ? undefined : rendezvous(keys[most - 1] as number, copies);
  if (owner === undefined) return undefined;
  const count = endpoints.length;
  const usesOfAll = (terms.requests * count) / Math.max(2, copies.length);
  const price = meanOf(keys.subarray(0, most), (key) => {
    const share = popularity.share(key);
    return Math.max(0, 1 - count * share) * replicaCost(usesOfAll * share, terms.most);
  });
  const penalty = weight * price * most;
  return Float64Array.from(endpoints, (endpoint) => (endpoint === owner ? 0 : penalty));
}
