import type { Endpoint } from "../endpoints/endpoint.ts";
import { rendezvous } from "../endpoints/rendezvous.ts";
import { constants } from "../load-constants.ts";

const { longQueueTokens, requestTokens, unequal } = constants;

/** The endpoint to which all replicas send a prompt that is new to them, without knowing of each other's requests. */
export interface PreferredEndpoint {
  /** Undefined if the prompt has none. */
  readonly endpoint: Endpoint | undefined;
  /** Blocks of the prompt that are not known to be cached on that endpoint. */
  readonly unknown: number;
}

/**
 * Selects the endpoint by a hash of the first block that fewer than two endpoints have. All replicas soon know the
 * blocks before it, such as the instructions of a service, and conversations do not differ in them. Endpoints that are
 * much fuller than the others are excluded, so that new prompts do not crowd there (consistent hashing with bounded
 * loads, Mirrokni, Thorup and Zadimoghaddam, 2018).
 *
 * @param keys keys of the prompt's blocks
 * @param matchedBlocks blocks from the start that each candidate has
 * @param blockTokens tokens per block
 */
export function preferredEndpoint(
  keys: Float64Array,
  candidates: readonly Endpoint[],
  matchedBlocks: Float64Array,
  blockTokens: number,
): PreferredEndpoint {
  let most = 0;
  let common = 0;
  for (const matched of matchedBlocks) {
    if (matched > most) [most, common] = [matched, most];
    else if (matched > common) common = matched;
  }
  const first = keys[common];
  if (first === undefined) return { endpoint: undefined, unknown: 0 };
  const elsewhere = (keys.length - common) * blockTokens;
  const spacious = withCapacity(candidates, Math.min(longQueueTokens, elsewhere));
  const endpoint = rendezvous(first, spacious);
  const known =
    endpoint === undefined ? 0 : (matchedBlocks[candidates.indexOf(endpoint)] as number);
  return { endpoint, unknown: keys.length - known };
}

/**
 * Returns the endpoints that are not much fuller than the others, by this replica's requests and the servers' metrics.
 * @param beyond tokens by which an endpoint may exceed `unequal` times the mean load
 */
function withCapacity(endpoints: readonly Endpoint[], beyond: number): readonly Endpoint[] {
  let sum = 0;
  let up = 0;
  for (const endpoint of endpoints) {
    if (endpoint.live.isDown) continue;
    sum += loadOf(endpoint);
    up += 1;
  }
  const most = (unequal * sum) / Math.max(1, up) + beyond;
  return endpoints.filter((endpoint) => loadOf(endpoint) <= most);
}

/** Load of an endpoint, in tokens: prompt tokens to compute, and `requestTokens` per request. */
function loadOf({ live }: Endpoint): number {
  const { runningTokens, externalTokens, runningRequests, metrics } = live;
  const reported = metrics === undefined ? 0 : metrics.runningRequests + metrics.waitingRequests;
  return runningTokens + externalTokens + requestTokens * Math.max(runningRequests, reported);
}
