import type { Endpoint } from "../../datastore/endpoint.ts";
import type { SchedulingRequest } from "../scheduler.ts";
import { BlockHasher } from "./block-hash.ts";
import { LruSet } from "./lru-set.ts";

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
  /** Tokens of a block where nothing is known of the servers. */
  readonly blockTokens: number;
  /** Tokens at a prompt's start that count. */
  readonly maxTokens: number;
  /** Blocks kept of a server that does not say how many it has. */
  readonly capacity: number;
}

/** Bytes that count as a token. */
const tokenBytes = 4;
/** Smaller blocks would cost more than they tell. */
const minBlockTokens = 64;

/** What is known of a request's prompt on each endpoint. */
export interface PrefixMatch {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  /** Estimated tokens of all prompts. */
  readonly promptTokens: number;
  /** Blocks from the start that the endpoint has. */
  matchedBlocks(endpoint: Endpoint): number;
}

export class PrefixCache {
  readonly #options: PrefixCacheOptions;
  readonly #servers = new Map<string, LruSet>();
  #scratch = new ArrayBuffer(2 ** 16);

  constructor(options: PrefixCacheOptions) {
    this.#options = options;
  }

  /** Keys kept of all servers. */
  get size(): number {
    let size = 0;
    for (const keys of this.#servers.values()) size += keys.size;
    return size;
  }

  match(request: SchedulingRequest, candidates: readonly Endpoint[]): PromptMatch {
    const blockTokens = this.#blockTokens(candidates);
    return new PromptMatch(this.#servers, blockTokens, this.#chains(request, blockTokens));
  }

  /** Remembers that the prompt went to an endpoint. */
  insert(match: PrefixMatch, endpoint: Endpoint): void {
    if (!(match instanceof PromptMatch) || match.totalBlocks === 0) return;
    const keys = this.#server(endpoint);
    for (const chain of match.chains) {
      // From the last block to the first: a block is then never forgotten before those that build on it, and what a
      // server has of a prompt is always a run from its start.
      for (let at = chain.length - 1; at >= 0; at -= 1) keys.use(chain[at] as number);
    }
  }

  retain(endpoints: readonly Endpoint[]): void {
    const kept = new Set(endpoints.map(serverKey));
    for (const id of this.#servers.keys()) if (!kept.has(id)) this.#servers.delete(id);
  }

  #blockTokens(candidates: readonly Endpoint[]): number {
    if (!this.#options.autoTune) return this.#options.blockTokens;
    for (const { live } of candidates) {
      const size = live.metrics?.cacheBlockSize;
      if (size !== undefined) return Math.max(minBlockTokens, size);
    }
    return Math.max(minBlockTokens, this.#options.blockTokens);
  }

  #server(endpoint: Endpoint): LruSet {
    const told = this.#options.autoTune ? endpoint.live.metrics?.cacheBlocks : undefined;
    const capacity = told ?? this.#options.capacity;
    const id = serverKey(endpoint);
    let keys = this.#servers.get(id);
    if (keys === undefined) {
      keys = new LruSet(capacity);
      this.#servers.set(id, keys);
    }
    keys.capacity = capacity;
    return keys;
  }

  /** A chain of keys for each prompt. */
  #chains({ payload, targetModel }: SchedulingRequest, blockTokens: number): Chain[] {
    const chains: Chain[] = [];
    let left = this.#options.maxTokens * tokenBytes;
    for (const prompt of payload.prompts) {
      const bytes = this.#write(prompt, left);
      left -= bytes;
      const hasher = new BlockHasher(`${targetModel}\0${payload.cacheSalt}`);
      chains.push(this.#hash(hasher, bytes, blockTokens));
    }
    return chains;
  }

  /** A trailing part of a block is a block. */
  #hash(hasher: BlockHasher, bytes: number, blockTokens: number): Chain {
    const total = Math.ceil(bytes / tokenBytes);
    const words = new Int32Array(this.#scratch, 0, total);
    const keys = new Float64Array(Math.ceil(total / blockTokens));
    for (let block = 0; block < keys.length; block += 1) {
      const start = block * blockTokens;
      keys[block] = hasher.block(words, start, Math.min(start + blockTokens, total));
    }
    return keys;
  }

  /** The prompt's first bytes, the last word filled up with zeros. */
  #write(prompt: string, maxBytes: number): number {
    const capacity = Math.min(prompt.length * 3, maxBytes) + tokenBytes;
    if (this.#scratch.byteLength < capacity)
      this.#scratch = new ArrayBuffer(2 ** Math.ceil(Math.log2(capacity)));
    const buffer = Buffer.from(this.#scratch);
    const written = buffer.write(prompt, 0, Math.min(maxBytes, buffer.length), "utf8");
    buffer.fill(0, written, Math.min(written + tokenBytes, buffer.length));
    return written;
  }
}

type Chain = Float64Array;

class PromptMatch implements PrefixMatch {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  readonly chains: readonly Chain[];
  readonly #servers: ReadonlyMap<string, LruSet>;
  readonly #matched = new Map<string, number>();

  constructor(servers: ReadonlyMap<string, LruSet>, blockTokens: number, chains: readonly Chain[]) {
    this.#servers = servers;
    this.blockTokens = blockTokens;
    this.chains = chains;
    this.totalBlocks = chains.reduce((sum, chain) => sum + chain.length, 0);
  }

  get promptTokens(): number {
    return this.totalBlocks * this.blockTokens;
  }

  matchedBlocks(endpoint: Endpoint): number {
    const id = serverKey(endpoint);
    const known = this.#matched.get(id);
    if (known !== undefined) return known;
    const keys = this.#servers.get(id);
    let matched = 0;
    if (keys !== undefined) for (const chain of this.chains) matched += runLength(chain, keys);
    this.#matched.set(id, matched);
    return matched;
  }
}

/** Keys from the start that a server has; found by halving, as they are a run. */
function runLength(chain: Chain, keys: LruSet): number {
  let has = 0;
  let lacks = chain.length + 1;
  while (lacks - has > 1) {
    const middle = (has + lacks) >>> 1;
    if (keys.has(chain[middle - 1] as number)) has = middle;
    else lacks = middle;
  }
  return has;
}

/** A pod that was made anew has an empty cache. */
const serverKey = ({ podUid, rank }: Endpoint) => `${podUid}/${rank}`;
