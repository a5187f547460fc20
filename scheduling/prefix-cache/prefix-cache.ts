import type { Endpoint, LiveState } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { constants } from "../load-constants.ts";
import { promptTokens } from "../prompt-tokens.ts";
import type { Replicas } from "../rendezvous.ts";
import type { SchedulingRequest } from "../request.ts";
import { bytesPerToken } from "../text-tokens.ts";
import { BlockHasher } from "./block-hash.ts";
import { duplicationPenalties } from "./duplication-penalty.ts";
import { LruSet } from "./lru-set.ts";
import { Popularity } from "./popularity.ts";
import { type PreferredEndpoint, preferredEndpoint } from "./preferred-endpoint.ts";
import { type CopyCosts, type PrefixCache, type PrefixMatch, runLength } from "./prefix-match.ts";
import { RecentShare } from "./recent-share.ts";
import { type ReplicaTerms, replicaCosts } from "./replica-cost.ts";

/**
 * Which server has probably cached which prompts, from where requests were sent: nothing is asked of the servers
 * (llm-d-router, approx-prefix-cache-producer).
 *
 * A prompt is cut into blocks; each block's key stands for all text up to its end. Of each server the keys of the
 * prompts that went there are kept, as many as its cache has blocks.
 */
export interface PrefixCacheOptions {
  /** Block size and capacity follow what a server's metrics say. */
  readonly autoTune: boolean;
  /** Tokens of a block where nothing is known of the servers; less than 64 count as 64. */
  readonly blockTokens: number;
  /** Tokens of a prompt that are looked at. */
  readonly maxTokens: number;
  /** Blocks of a prompt that are looked at. */
  readonly maxBlocks: number;
  /** Blocks kept of a server that does not say how many it has. */
  readonly capacity: number;
}

const { blockSizeSamples, droppedSamples, leastBlockTokens, reuseMemory, shortageMemory } =
  constants;
const { leastSentByOthers, mostSentByOthers, mostTokensByOthers } = constants;

export class ApproxPrefixCache implements PrefixCache {
  readonly #options: PrefixCacheOptions;
  /** By live state: a pod that was made anew has another one, and an empty cache. */
  readonly #servers = new Map<LiveState, LruSet>();
  /** Keys that each server may have, so that all together have no more than the limit. */
  #share: number = limits.cacheBlocks.value;

  readonly #replicas: Replicas;
  /**
   * How much of what prompts say beyond what all of them say was said before: of chats much, of documents that nobody else asks
   * about nothing. At first it is taken for all, as nothing was seen that speaks against it.
   */
  readonly #reuse = new RecentShare(1, reuseMemory);
  /** How many of the blocks that prompts use take the place of one that comes again and that no server has any more. */
  readonly #shortage = new RecentShare(0, shortageMemory);
  readonly #popularity = new Popularity();

  /** @param replicas of the picker. Default: one */
  constructor(options: PrefixCacheOptions, replicas: Replicas = { count: 1 }) {
    this.#options = options;
    this.#replicas = replicas;
  }

  /** Keys kept of all servers. */
  get size(): number {
    let size = 0;
    for (const keys of this.#servers.values()) size += keys.size;
    return size;
  }

  match(request: SchedulingRequest, candidates: readonly Endpoint[]): PrefixMatch {
    const blockTokens = this.#blockTokens(candidates);
    const chains = this.#chains(request, blockTokens);
    const { count } = this.#replicas;
    const others =
      count > 1
        ? {
            candidates,
            share: Math.max(
              leastSentByOthers,
              mostSentByOthers * Math.min(1, count * this.#reuse.value),
            ),
          }
        : undefined;
    return new ChainMatch(
      {
        servers: this.#servers,
        popularity: this.#popularity,
        shortage: this.#shortage.value,
      },
      blockTokens,
      chains,
      request,
      others,
    );
  }

  /** Remembers that the prompts went to an endpoint. */
  insert(match: PrefixMatch, endpoint: Endpoint): void {
    if (!(match instanceof ChainMatch) || match.totalBlocks === 0) return;
    const { preferred, blockTokens } = match;
    if (preferred !== undefined)
      this.#reuse.saw(
        (match.totalBlocks - preferred.common) * blockTokens,
        (preferred.most - preferred.common) * blockTokens,
      );
    const keys = this.#server(endpoint, blockTokens);
    for (const chain of match.chains) {
      this.#popularity.add(chain);
      this.#keep(chain, keys);
    }
  }

  /**
   * From the last block to the first: a block is then never forgotten before those that build on it, and what a server has of a
   * prompt is always a run from its start.
   */
  #keep(chain: Chain, keys: LruSet): void {
    const step = Math.ceil(chain.length / droppedSamples);
    let missed = 0;
    for (let at = chain.length - 1; at >= 0; at -= 1) {
      const dropped = keys.use(chain[at] as number);
      if (dropped !== undefined && at % step === 0 && this.#isMissed(dropped)) missed += step;
    }
    this.#shortage.saw(chain.length, Math.min(missed, chain.length));
  }

  /** Whether a block comes again, and no server has it. */
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

  /** What most servers say: one that says something else does not change the keys of all prompts. */
  #blockTokens(candidates: readonly Endpoint[]): number {
    const { autoTune, blockTokens } = this.#options;
    const reported = autoTune ? largestReportedBlockSize(candidates) : undefined;
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

  /** A chain of keys for each prompt, within the limits. Those of one owner tell nothing to another. */
  #chains({ payload, targetModel, owner }: SchedulingRequest, blockTokens: number): Chain[] {
    const { maxTokens, maxBlocks } = this.#options;
    const ofPrompt = Math.min(Math.floor(maxTokens / blockTokens), maxBlocks);
    let left: number = limits.prefixBlocks.value;
    return payload.prompts.map((prompt) => {
      const bytes = this.#write(prompt, Math.min(ofPrompt, left) * blockTokens * bytesPerToken);
      const hasher = new BlockHasher(targetModel, payload.cacheSalt, owner);
      const chain = this.#hash(hasher, bytes, blockTokens);
      left -= chain.length;
      return chain;
    });
  }

  #hash(hasher: BlockHasher, bytes: number, blockTokens: number): Chain {
    const total = Math.ceil(bytes / bytesPerToken);
    const keys = new Float64Array(Math.ceil(total / blockTokens));
    for (let block = 0; block < keys.length; block += 1) {
      const start = block * blockTokens;
      keys[block] = hasher.block(room.words, start, Math.min(start + blockTokens, total));
    }
    return keys;
  }

  /** Writes the prompt's first bytes, the last word filled up with zeros. Answers how many. */
  #write(prompt: string, maxBytes: number): number {
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    const needed = Math.min(prompt.length * 3, maxBytes) + bytesPerToken;
    if (room.bytes.length < needed) room = scratch(2 ** Math.ceil(Math.log2(needed)));
    const { bytes } = room;
    const written = bytes.write(prompt, 0, Math.min(maxBytes, bytes.length - bytesPerToken));
    bytes.fill(0, written, written + bytesPerToken);
    return written;
  }
}

/** How many blocks of a size a server's cache has room for; undefined where it does not say. Its own may be smaller or larger. */
function reportedBlocks(endpoint: Endpoint, blockTokens: number): number | undefined {
  const reported = endpoint.live.metrics?.cacheBlocks;
  if (reported === undefined || reported <= 0) return undefined;
  return Math.ceil((reported * (reportedBlockSize(endpoint) ?? blockTokens)) / blockTokens);
}

/** Undefined where a server says none that can be. */
function reportedBlockSize({ live }: Endpoint): number | undefined {
  const reported = live.metrics?.cacheBlockSize ?? 0;
  return reported > 0 && reported <= limits.cacheBlockTokens.value ? reported : undefined;
}

/** Undefined where no server says one. */
function largestReportedBlockSize(endpoints: readonly Endpoint[]): number | undefined {
  if (endpoints.length > blockSizeSamples) {
    const step = endpoints.length / blockSizeSamples;
    return largestReportedBlockSize(
      Array.from(
        { length: blockSizeSamples },
        (_, at) => endpoints[Math.floor(at * step)] as Endpoint,
      ),
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

/** Room to lay a prompt's UTF-8 out in, seen as bytes and as words. */
function scratch(size: number): { readonly bytes: Buffer; readonly words: Int32Array } {
  const memory = new ArrayBuffer(size);
  return { bytes: Buffer.from(memory), words: new Int32Array(memory) };
}

/** One for all caches of the process: a prompt is laid out and hashed at once. */
let room = scratch(2 ** 16);

type Chain = Float64Array;

/** What is known of all prompts. */
interface Known {
  readonly servers: ReadonlyMap<LiveState, LruSet>;
  readonly popularity: Popularity;
  readonly shortage: number;
}

/** Other replicas that choose among the same endpoints. */
interface Others {
  readonly candidates: readonly Endpoint[];
  /**
   * Part of the unknown tokens that counts as known at the prompt's home: another replica may have sent them there, the more
   * likely the more comes back to this one. With less, the turns of a chat go to as many servers as there are replicas.
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
  /** Undefined where nobody has asked for it. */
  preferred: PreferredEndpoint | undefined;

  /** @param others undefined where no other replica chooses among the candidates too */
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
    for (const chain of this.chains) {
      // Most servers of a big pool have nothing of a prompt.
      const [first] = chain;
      if (first !== undefined && keys.has(first))
        matched += runLength(chain.length, (at) => keys.has(chain[at] as number));
    }
    return matched;
  }

  /** Owners share no keys. */
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
    this.preferred ??= preferredEndpoint(
      chain,
      candidates,
      this.matchedIn(candidates),
      blockTokens,
    );
    return this.preferred.endpoint === endpoint
      ? Math.min(share * this.preferred.unknown * blockTokens, mostTokensByOthers)
      : 0;
  }
}
