import type { Endpoint } from "../endpoints/endpoint.ts";
import { limits } from "../limits.ts";
import { constants } from "../load-constants.ts";

/** Sizes of caches and of their blocks, as servers report them. */

const { listItems } = constants;

/**
 * Number of blocks of the given size that fit into a server's cache, whose own blocks may have another size; undefined
 * if the server does not report it.
 */
export function reportedBlocks(endpoint: Endpoint, blockTokens: number): number | undefined {
  const reported = endpoint.live.metrics?.cacheBlocks;
  if (reported === undefined || reported <= 0) return undefined;
  return Math.ceil((reported * (reportedBlockSize(endpoint) ?? blockTokens)) / blockTokens);
}

/** Undefined if the server reports no size, or an impossible size. */
function reportedBlockSize({ live }: Endpoint): number | undefined {
  const reported = live.metrics?.cacheBlockSize ?? 0;
  return reported > 0 && reported <= limits.cacheBlockTokens.value ? reported : undefined;
}

/**
 * The block size that most servers report; undefined if no server reports a size. In a large pool, a sample of servers
 * is used.
 */
export function mostReportedBlockSize(endpoints: readonly Endpoint[]): number | undefined {
  if (endpoints.length > listItems) {
    const step = endpoints.length / listItems;
    return mostReportedBlockSize(
      Array.from({ length: listItems }, (_, at) => endpoints[Math.floor(at * step)] as Endpoint),
    );
  }
  const [first] = endpoints;
  const size = first && reportedBlockSize(first);
  if (endpoints.every((endpoint) => reportedBlockSize(endpoint) === size)) return size;
  let most: number | undefined;
  let mostCount = 0;
  const counts = new Map<number, number>();
  for (const endpoint of endpoints) {
    const reported = reportedBlockSize(endpoint);
    if (reported === undefined) continue;
    const count = (counts.get(reported) ?? 0) + 1;
    counts.set(reported, count);
    if (count > mostCount) {
      most = reported;
      mostCount = count;
    }
  }
  return most;
}
