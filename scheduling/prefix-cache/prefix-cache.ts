import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import type { Replicas } from "../endpoints/rendezvous.ts";
import { limits } from "../limits.ts";
import { constants } from "../load-constants.ts";
import { promptTokens } from "../requests/prompt-tokens.ts";
import type { SchedulingRequest } from "../requests/request.ts";
import { bytesPerToken } from "../requests/text-tokens.ts";
import { BlockHasher } from "./block-hash.ts";
import { duplicationPenalties } from "./duplication-penalty.ts";
import { LruSet } from "./lru-set.ts";
import { Popularity } from "./popularity.ts";
import { type PreferredEndpoint, preferredEndpoint } from "./preferred-endpoint.ts";
import { type CopyCosts, type PrefixCache, type PrefixMatch, runLength } from "./prefix-match.ts";
import { type Chain, type PromptBlocks, promptChain, slicedChain } from "./prompt-chain.ts";
import { RecentShare } from "./recent-share.ts";
import { type ReplicaTerms, replicaCosts } from "./replica-cost.ts";
import { mostReportedBlockSize, reportedBlocks } from "./reported-blocks.ts";
import { Reuse } from "./reuse.ts";

export interface PrefixCacheOptions {
  /** Block size and capacity follow the servers' metrics. */
  readonly autoTune: boolean;
  /** Tokens per block if the servers report none; at least 64. */
  readonly blockTokens: number;
  /** Maximum number of tokens of a prompt that are matched. */
  readonly maxTokens: number;
  /** Maximum number of blocks of a prompt that are matched. */
  readonly maxBlocks: number;
  /** Blocks kept for a server that does not report its number of blocks. */
  readonly capacity: number;
}

/** Chains of a request's prompts, in blocks of a size. */
interface Hashed {
  readonly blockTokens: number;
  readonly chains: Chain[];
}

const { heldPart, leastBlockTokens, listItems, longQueueTokens, mostPart, recentBlocks } =
  constants;

/**
 * Estimates which server has which prompts cached, from the requests sent to it. The servers are not queried
 * (llm-d-router, approx-prefix-cache-producer).
 *
 * A prompt is cut into blocks. The key of a block identifies all text up to the end of the block. For each server, the
 * keys of the prompts sent there are kept, up to the number of blocks in its cache.
 */
export class ApproxPrefixCache implements PrefixCache {
  readonly #options: PrefixCacheOptions;
  /** By live state: a recreated pod has a new one, and an empty cache. */
  readonly #servers = new Map<LiveState, LruSet>();
  /** Maximum number of keys per server, so that all servers together stay within the limit. */
  #share: number = limits.cacheBlocks.value;

  readonly #replicas: Replicas;
  readonly #reuse = new Reuse();
  /** Chains of requests that wait, which are matched again and again, and of requests that were prepared. */
  readonly #hashed = new WeakMap<SchedulingRequest, Hashed>();
  /** Share of the inserted blocks that evict a block which is needed again and which no server has any more. */
  readonly #shortage = new RecentShare(0, recentBlocks);
  readonly #popularity = new Popularity();

  /** @param replicas number of replicas of the picker. Default: one */
  constructor(options: PrefixCacheOptions, replicas: Replicas = { count: 1 }) {
    this.#options = options;
    this.#replicas = replicas;
  }

  /** Number of keys kept for all servers. */
  get size(): number {
    let size = 0;
    for (const keys of this.#servers.values()) size += keys.size;
    return size;
  }

  match(request: SchedulingRequest, candidates: readonly Endpoint[]): PrefixMatch {
    const blockTokens = this.#blockTokens(candidates);
    const hashed = this.#hashed.get(request);
    const chains =
      hashed?.blockTokens === blockTokens ? hashed.chains : this.#chains(request, blockTokens);
    return new ChainMatch(
      {
        servers: this.#servers,
        popularity: this.#popularity,
        shortage: this.#shortage.value,
      },
      blockTokens,
      chains,
      request,
      this.#replicas.count > 1 ? { candidates, share: this.#sentByOthers } : undefined,
    );
  }

  /** Share of the unknown tokens that other replicas have likely sent to the preferred endpoint. */
  get #sentByOthers(): number {
    return this.#reuse.isUsual(this.#replicas.count) ? mostPart : 1 - mostPart;
  }

  insert(match: PrefixMatch, endpoint: Endpoint, now = 0): void {
    if (!(match instanceof ChainMatch) || match.totalBlocks === 0) return;
    const keys = this.#server(endpoint, match.blockTokens);
    for (const chain of match.chains) {
      this.#reuse.saw(chain, lastUse(chain, keys), now);
      this.#popularity.add(chain);
      this.#keep(chain, keys, now);
    }
  }

  evictsWorkingSet(
    request: SchedulingRequest,
    endpoints: readonly Endpoint[],
    now: number,
  ): boolean {
    if (!this.#reuse.isUsual()) return false;
    const blockTokens = this.#blockTokens(endpoints);
    const blocks = promptTokens(request) / blockTokens;
    const since = now - this.#reuse.withinMs;
    if (!endpoints.every((endpoint) => this.#isFull(endpoint, blocks, since))) return false;
    if (this.#hashed.get(request)?.blockTokens !== blockTokens)
      this.#hashed.set(request, { blockTokens, chains: this.#chains(request, blockTokens) });
    const match = this.match(request, endpoints);
    const most = match.matchedIn(endpoints).reduce((a, b) => Math.max(a, b), 0);
    return 2 * most < match.totalBlocks;
  }

  /**
   * Whether a prompt takes much of an endpoint's cache, and that cache is full of blocks that were all used after
   * `since`.
   */
  #isFull({ live }: Endpoint, blocks: number, since: number): boolean {
    const keys = this.#servers.get(live);
    if (keys === undefined || blocks < heldPart * keys.capacity) return false;
    return keys.size + blocks > keys.capacity && (keys.oldestUse ?? 0) > since;
  }

  /**
   * Inserts the blocks from last to first. A block is then never evicted before the blocks that follow it, and a server
   * always has a run from the start of a prompt.
   */
  #keep(chain: Chain, keys: LruSet, now: number): void {
    const step = Math.ceil(chain.length / listItems);
    let missed = 0;
    for (let at = chain.length - 1; at >= 0; at -= 1) {
      const dropped = keys.use(chain[at] as number, now);
      if (dropped !== undefined && at % step === 0 && this.#isMissed(dropped)) missed += step;
    }
    this.#shortage.saw(chain.length, Math.min(missed, chain.length));
  }

  /** Whether a block is needed again and no server has it. */
  #isMissed(key: number): boolean {
    if (this.#popularity.share(key) === 0) return false;
    for (const keys of this.#servers.values()) if (keys.has(key)) return false;
    return true;
  }

  retain(endpoints: readonly Endpoint[]): void {
    this.#share = Math.ceil(limits.cacheBlocksOfPool.value / Math.max(1, endpoints.length));
    const kept = new Set(endpoints.map(({ live }) => live));
    for (const live of this.#servers.keys()) if (!kept.has(live)) this.#servers.delete(live);
  }

  /**
   * Returns the block size that most servers report, so that one server with another size does not change the keys of
   * all prompts.
   */
  #blockTokens(candidates: readonly Endpoint[]): number {
    const { autoTune, blockTokens } = this.#options;
    const reported = autoTune ? mostReportedBlockSize(candidates) : undefined;
    return Math.max(leastBlockTokens, reported ?? blockTokens);
  }

  #server(endpoint: Endpoint, blockTokens: number): LruSet {
    const { live } = endpoint;
    const { autoTune, capacity } = this.#options;
    const reported = autoTune ? reportedBlocks(endpoint, blockTokens) : undefined;
    const blocks = Math.min(reported ?? capacity, limits.cacheBlocks.value, this.#share);
    let keys = this.#servers.get(live);
    if (keys === undefined) {
      keys = new LruSet(blocks);
      this.#servers.set(live, keys);
    } else if (keys.capacity !== blocks) keys.capacity = blocks;
    return keys;
  }

  /**
   * Returns a chain of keys for each prompt, within the limits. Owners share no keys, so no owner learns about another
   * one.
   */
  #chains(request: SchedulingRequest, blockTokens: number): Chain[] {
    let left: number = limits.prefixBlocks.value;
    return request.payload.prompts.map((prompt) => {
      const chain = promptChain(this.#blocks(request, prompt, blockTokens, left));
      left -= chain.length;
      return chain;
    });
  }

  *prepare(request: SchedulingRequest, candidates: readonly Endpoint[]): Generator<number, void> {
    const blockTokens = this.#blockTokens(candidates);
    let left: number = limits.prefixBlocks.value;
    const chains: Chain[] = [];
    for (const prompt of request.payload.prompts) {
      const chain = yield* slicedChain(this.#blocks(request, prompt, blockTokens, left));
      left -= chain.length;
      chains.push(chain);
    }
    this.#hashed.set(request, { blockTokens, chains });
  }

  /** @param left blocks of the request that may still be hashed */
  #blocks(
    { payload, targetModel, owner }: SchedulingRequest,
    prompt: string,
    blockTokens: number,
    left: number,
  ): PromptBlocks {
    const { maxTokens, maxBlocks } = this.#options;
    const blocks = Math.min(Math.floor(maxTokens / blockTokens), maxBlocks, left);
    const hasher = new BlockHasher(targetModel, payload.cacheSalt, owner);
    return { prompt, maxBytes: blocks * blockTokens * bytesPerToken, blockTokens, hasher };
  }
}

/** Number of blocks, from the start of a prompt, that a server has. */
function cachedRun(chain: Chain, keys: LruSet): number {
  // Most servers of a large pool have no block of a prompt.
  const [first] = chain;
  if (first === undefined || !keys.has(first)) return 0;
  return runLength(chain.length, (at) => keys.has(chain[at] as number));
}

/** Time at which the longest cached prefix of a prompt was last used, in ms; undefined if none is cached. */
function lastUse(chain: Chain, keys: LruSet): number | undefined {
  const has = cachedRun(chain, keys);
  return has === 0 ? undefined : keys.usedAt(chain[has - 1] as number);
}

/** State that all prompts share. */
interface Known {
  readonly servers: ReadonlyMap<LiveState, LruSet>;
  readonly popularity: Popularity;
  readonly shortage: number;
}

/** Other replicas that select among the same endpoints. */
interface Others {
  readonly candidates: readonly Endpoint[];
  /**
   * Share of the unknown tokens that counts as cached on the preferred endpoint, from 0 to 1. Another replica may have
   * sent them there, which is more likely if prompts repeat. With a lower share, the turns of a chat would be spread
   * over as many servers as there are replicas.
   */
  readonly share: number;
}

class ChainMatch implements PrefixMatch {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  readonly chains: readonly Chain[];
  readonly #request: SchedulingRequest;
  readonly #known: Known;
  readonly #matched = new Map<LiveState, number>();
  #matchedIn:
    | { readonly endpoints: readonly Endpoint[]; readonly blocks: Float64Array }
    | undefined;
  #tokens: number | undefined;
  readonly #others: Others | undefined;
  /** Undefined until it is first needed. */
  #preferred: PreferredEndpoint | undefined;

  /** @param others undefined if no other replica selects among the candidates */
  constructor(
    known: Known,
    blockTokens: number,
    chains: readonly Chain[],
    request: SchedulingRequest,
    others: Others | undefined,
  ) {
    this.#others = others;
    this.#known = known;
    this.#request = request;
    this.blockTokens = blockTokens;
    this.chains = chains;
    this.totalBlocks = chains.reduce((sum, chain) => sum + chain.length, 0);
  }

  matchedBlocks({ live }: Endpoint): number {
    const known = this.#matched.get(live);
    if (known !== undefined) return known;
    const matched = this.#matchedBy(live);
    this.#matched.set(live, matched);
    return matched;
  }

  matchedIn(endpoints: readonly Endpoint[]): Float64Array {
    if (this.#matchedIn?.endpoints === endpoints) return this.#matchedIn.blocks;
    const blocks = new Float64Array(endpoints.length);
    if (this.totalBlocks > 0 && this.#known.servers.size > 0)
      for (let at = 0; at < blocks.length; at += 1)
        blocks[at] = this.#matchedBy((endpoints[at] as Endpoint).live);
    this.#matchedIn = { endpoints, blocks };
    return blocks;
  }

  #matchedBy(live: LiveState): number {
    const keys = this.#known.servers.get(live);
    if (keys === undefined) return 0;
    let matched = 0;
    for (const chain of this.chains) matched += cachedRun(chain, keys);
    return matched;
  }

  /** All matched blocks belong to the owner, because owners share no keys. */
  ownBlocks(endpoint: Endpoint): number {
    return this.matchedBlocks(endpoint);
  }

  source(): "estimate" {
    return "estimate";
  }

  uncachedTokens(endpoint: Endpoint): number {
    return this.#uncached(endpoint, this.matchedBlocks(endpoint));
  }

  uncachedIn(endpoints: readonly Endpoint[]): Float64Array {
    const tokens = new Float64Array(endpoints.length);
    const matched = this.matchedIn(endpoints);
    for (let at = 0; at < tokens.length; at += 1)
      tokens[at] = this.#uncached(endpoints[at] as Endpoint, matched[at] as number);
    return tokens;
  }

  #uncached(endpoint: Endpoint, matched: number): number {
    this.#tokens ??= promptTokens(this.#request);
    const beyond = Math.max(0, this.#tokens - this.totalBlocks * this.blockTokens);
    const missing = this.totalBlocks - matched;
    return missing * this.blockTokens - this.sentByOthers(endpoint) + beyond;
  }

  copyCosts(endpoints: readonly Endpoint[], terms: ReplicaTerms): CopyCosts {
    const [keys] = this.chains;
    if (keys === undefined || this.chains.length > 1)
      return {
        prices: new Float64Array(endpoints.length).fill(terms.most),
        duplicationPenalties: undefined,
      };
    const { popularity, shortage } = this.#known;
    const matched = this.matchedIn(endpoints);
    const blocks = duplicationPenalties({ keys, endpoints, matched }, popularity, terms, shortage);
    return {
      prices: replicaCosts(keys, matched, popularity, terms),
      duplicationPenalties: blocks?.map((each) => each * this.blockTokens),
    };
  }

  sentByOthers(endpoint: Endpoint): number {
    const [chain] = this.chains;
    if (this.#others === undefined || chain === undefined || this.chains.length > 1) return 0;
    const { candidates, share } = this.#others;
    const { blockTokens } = this;
    this.#preferred ??= preferredEndpoint(
      chain,
      candidates,
      this.matchedIn(candidates),
      blockTokens,
    );
    return this.#preferred.endpoint === endpoint
      ? Math.min(share * this.#preferred.unknown * blockTokens, longQueueTokens)
      : 0;
  }
}
