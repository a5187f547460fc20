import type { Endpoint } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { rendezvous } from "../rendezvous.ts";
import type { Popularity } from "./popularity.ts";
import { meanOf, type ReplicaTerms, replicaCost } from "./replica-cost.ts";

const { highestPenalty, leastShortage, penaltyPerShortage } = constants;

/** A prompt, and who has it. */
export interface CachedPrompt {
  /** Keys of the prompt's blocks. */
  readonly keys: Float64Array;
  readonly endpoints: readonly Endpoint[];
  /** How many of the blocks, from the start, each endpoint has. */
  readonly matched: Float64Array;
}

/**
 * What it costs to have a prompt on each of some endpoints although another one has it too, in blocks. Where caches drop what
 * comes again, a second copy takes the place of what nobody else has. So each prompt has a keeper, the endpoint that has
 * the most of it, and for all others it pays rent, whether they would have to compute it or have it already: who is not used drops
 * it in time. The more requests share a copy, the less it is; and what more requests begin with than are an endpoint's part pays
 * none, as one keeper is not enough for them. Undefined where there is room, or nobody has anything.
 *
 * @param shortage part of the blocks that take the place of one that comes again and that no endpoint has any more
 */
export function duplicationPenalties(
  { keys, endpoints, matched }: CachedPrompt,
  popularity: Popularity,
  terms: ReplicaTerms,
  shortage: number,
): Float64Array | undefined {
  if (shortage < leastShortage) return undefined;
  const most = matched.reduce((a, b) => Math.max(a, b), 0);
  const copies = endpoints.filter((_, at) => matched[at] === most);
  const owner = most === 0 ? undefined : rendezvous(keys[most - 1] as number, copies);
  if (owner === undefined) return undefined;
  const count = endpoints.length;
  const usesOfAll = (terms.requests * count) / Math.max(2, copies.length);
  const price = meanOf(keys.subarray(0, most), (key) => {
    const share = popularity.share(key);
    return Math.max(0, 1 - count * share) * replicaCost(usesOfAll * share, terms);
  });
  const penalty = Math.min(highestPenalty, penaltyPerShortage * shortage) * price * most;
  return Float64Array.from(endpoints, (endpoint) => (endpoint === owner ? 0 : penalty));
}
