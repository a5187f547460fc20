import type { Endpoint, SentPrompt } from "../endpoint.ts";
import type { SchedulingRequest } from "../request.ts";
import type { PrefixSource } from "../scheduling-observer.ts";
import type { ReplicaTerms } from "./replica-cost.ts";

/** What is known of the prompts that model servers have cached. */
export interface PrefixCache {
  /** Blocks that are known, of all servers. */
  readonly size: number;
  match(request: SchedulingRequest, candidates: readonly Endpoint[]): PrefixMatch;
  /**
   * Remembers that the prompts went to an endpoint.
   * @param sent what it has before it now; undefined where nobody sees when it has been computed
   */
  insert(match: PrefixMatch, endpoint: Endpoint, sent?: SentPrompt): void;
  /** Forgets endpoints that are gone. */
  retain(endpoints: readonly Endpoint[]): void;
}

/** What it costs to have a prompt on each of some endpoints. */
export interface CopyCosts {
  /** What one of the uncached tokens costs. */
  readonly prices: Float64Array;
  /** Tokens for the room that it takes although another one keeps it; undefined where their caches are not short of room. */
  readonly duplicationPenalties: Float64Array | undefined;
}

/** What is known of a request's prompts on each endpoint. */
export interface PrefixMatch {
  readonly blockTokens: number;
  /** Blocks of all prompts. */
  readonly totalBlocks: number;
  /** Blocks from the start that the endpoint has, all prompts together. Those that are slow to come by count less. */
  matchedBlocks(endpoint: Endpoint): number;
  /** `matchedBlocks` of each of some endpoints, worked out once for a list: pools may have thousands. */
  matchedIn(endpoints: readonly Endpoint[]): Float64Array;
  /** Those of them that are there since the request's owner sent them: all that its owner may be told. */
  ownBlocks(endpoint: Endpoint): number;
  /** Prompt tokens that the endpoint has to work out: whole blocks, and what is beyond the limits. */
  uncachedTokens(endpoint: Endpoint): number;
  /** `uncachedTokens` of each of some endpoints. */
  uncachedIn(endpoints: readonly Endpoint[]): Float64Array;
  /** Those tokens, of which `uncachedTokens` has none, that other replicas of the picker may have sent there. */
  sentByOthers(endpoint: Endpoint): number;
  copyCosts(endpoints: readonly Endpoint[], terms: ReplicaTerms): CopyCosts;
  source(endpoint: Endpoint): PrefixSource;
}

/**
 * How many blocks from the start of a prompt are there; found by halving, as they are a run: who has a block has all before it.
 *
 * @param blocks of the prompt
 * @param has whether the block at a place is there
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
