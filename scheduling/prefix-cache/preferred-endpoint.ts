import type { Endpoint } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { rendezvous } from "../rendezvous.ts";

const { preferredLoad, leastPreferredExcess, mostPreferredExcess, requestTokens } = constants;

/** The endpoint to which replicas that do not know of each other send what is new to them. */
export interface PreferredEndpoint {
  /** Undefined where the prompt has none. */
  readonly endpoint: Endpoint | undefined;
  /** Blocks of the prompt that are not known to be there. */
  readonly unknown: number;
  /** Blocks from the start that two endpoints have. */
  readonly common: number;
  /** Blocks from the start that one has. */
  readonly most: number;
}

/**
 * By the first block that no two endpoints have: what comes before it, such as the instructions of a service, all replicas
 * know soon, and it tells no conversation from another. Of endpoints that are much fuller than others none is a home
 * (consistent hashing with bounded loads, Mirrokni, Thorup and Zadimoghaddam, 2018): what is new to all does not crowd
 * there.
 *
 * @param keys of the prompt's blocks
 * @param matchedBlocks blocks from the start that each candidate has
 * @param blockTokens tokens of a block
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
  if (first === undefined) return { endpoint: undefined, unknown: 0, common, most };
  const elsewhere = (keys.length - common) * blockTokens;
  const beyond = Math.min(mostPreferredExcess, Math.max(leastPreferredExcess, elsewhere));
  const endpoint = rendezvous(first, withCapacity(candidates, beyond));
  const known =
    endpoint === undefined ? 0 : (matchedBlocks[candidates.indexOf(endpoint)] as number);
  return { endpoint, unknown: keys.length - known, common, most };
}

/**
 * The endpoints that are not much fuller than others, as far as this replica and the servers' metrics say.
 * @param beyond tokens by which they may be fuller
 */
function withCapacity(endpoints: readonly Endpoint[], beyond: number): readonly Endpoint[] {
  let sum = 0;
  let up = 0;
  for (const endpoint of endpoints) {
    if (endpoint.live.isDown) continue;
    sum += loadOf(endpoint);
    up += 1;
  }
  const most = (preferredLoad * sum) / Math.max(1, up) + beyond;
  return endpoints.filter((endpoint) => loadOf(endpoint) <= most);
}

function loadOf({ live }: Endpoint): number {
  const { runningTokens, externalTokens, runningRequests, metrics } = live;
  const reported = metrics === undefined ? 0 : metrics.runningRequests + metrics.waitingRequests;
  return runningTokens + externalTokens + requestTokens * Math.max(runningRequests, reported);
}
