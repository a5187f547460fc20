import type { Endpoint, SentPrompt } from "../endpoints/endpoint.ts";
import type { SchedulingRequest } from "../requests/request.ts";
import type { PrefixSource } from "../scheduling-observer.ts";
import type { ReplicaTerms } from "./replica-cost.ts";

/** Index of the prompts that the model servers have cached. */
export interface PrefixCache {
  /** Number of known blocks of all servers. */
  readonly size: number;
  match(request: SchedulingRequest, candidates: readonly Endpoint[]): PrefixMatch;
  /**
   * Hashes the prompts of a request in slices, so that `match` need not do it in one step. Yields the bytes of each
   * slice. `match` with another block size hashes the prompts again.
   */
  prepare?(request: SchedulingRequest, candidates: readonly Endpoint[]): Generator<number, void>;
  /**
   * Records that the prompts were sent to an endpoint.
   * @param now time in ms. Default 0, if no caller needs the working set
   * @param sent the request's entry in the prompts that the endpoint computes; undefined if the picker does not see
   * when it is computed
   */
  insert(match: PrefixMatch, endpoint: Endpoint, now?: number, sent?: SentPrompt): void;
  /** Whether a cold prompt would evict, on each of the endpoints, prefixes that will be used again. Default: never. */
  evictsWorkingSet?(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): boolean;
  /** Forgets endpoints that are not in the list. */
  retain(endpoints: readonly Endpoint[]): void;
}

/** Cost factors of a prompt on each of a list of endpoints. */
export interface CopyCosts {
  /** Cost per uncached token, in tokens. */
  readonly prices: Float64Array;
  /** Cost of the cache space of another copy, in tokens; undefined if the caches have enough space. */
  readonly duplicationPenalties: Float64Array | undefined;
}

/** The cached parts of a request's prompts on each endpoint. */
export interface PrefixMatch {
  readonly blockTokens: number;
  /** Blocks of all prompts. */
  readonly totalBlocks: number;
  /**
   * Blocks from the start that the endpoint has cached, summed over all prompts. A block in a slow tier counts as less
   * than one.
   */
  matchedBlocks(endpoint: Endpoint): number;
  /** `matchedBlocks` of each endpoint. It is computed once per list, because pools may have thousands of endpoints. */
  matchedIn(endpoints: readonly Endpoint[]): Float64Array;
  /** Matched blocks that are cached because the request's owner sent them. Only these may be disclosed to the owner. */
  ownBlocks(endpoint: Endpoint): number;
  /** Prompt tokens that the endpoint has to compute: whole blocks, and the tokens beyond the limits. */
  uncachedTokens(endpoint: Endpoint): number;
  /** `uncachedTokens` of each endpoint. */
  uncachedIn(endpoints: readonly Endpoint[]): Float64Array;
  /**
   * Estimate of the tokens that other replicas of the picker sent to the endpoint. `uncachedTokens` does not contain
   * them.
   */
  sentByOthers(endpoint: Endpoint): number;
  copyCosts(endpoints: readonly Endpoint[], terms: ReplicaTerms): CopyCosts;
  source(endpoint: Endpoint): PrefixSource;
}

/**
 * Returns the number of blocks, from the start of a prompt, that are cached. It uses binary search, because they are a
 * run: a server that has a block has all blocks before it.
 *
 * @param blocks number of blocks of the prompt
 * @param has whether the block at an index is cached
 */
export function runLength(blocks: number, has: (at: number) => boolean): number {
  let known = 0;
  let lacks = blocks + 1;
  while (lacks - known > 1) {
    const middle = (known + lacks) >>> 1;
    if (has(middle - 1)) known = middle;
    else lacks = middle;
  }
  return known;
}
