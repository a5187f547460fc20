import type { Endpoint, LiveState, SentPrompt } from "../endpoints/endpoint.ts";
import { limits } from "../limits.ts";
import {
  type CopyCosts,
  type PrefixCache,
  type PrefixMatch,
  runLength,
} from "../prefix-cache/prefix-match.ts";
import type { ReplicaTerms } from "../prefix-cache/replica-cost.ts";
import type { SchedulingRequest } from "../requests/request.ts";
import type { PrefixSource } from "../scheduling-observer.ts";
import { type EngineBlocks, wholeBlocks } from "./engine-blocks.ts";
import type { KvIndex } from "./kv-index.ts";

export interface PreciseOptions {
  /** Weight of a block in each tier, from 0 to 1, in the order of `tiers`. */
  readonly weights: readonly number[];
  /** A prompt counts as cached on its endpoint from dispatch on, before its response begins. */
  readonly isSpeculative: boolean;
}

/**
 * Knows which server has which prompts cached, from the servers' KV cache events. For an endpoint without events, or a
 * request whose tokens are unknown, it uses an estimate from the requests sent before.
 */
export class PrecisePrefixCache implements PrefixCache {
  readonly #index: KvIndex;
  readonly #estimate: PrefixCache;
  readonly #options: PreciseOptions;

  constructor(index: KvIndex, estimate: PrefixCache, options: PreciseOptions) {
    this.#index = index;
    this.#estimate = estimate;
    this.#options = options;
  }

  get size(): number {
    return this.#index.size;
  }

  match(request: SchedulingRequest, candidates: readonly Endpoint[]): PrefixMatch {
    const estimate = this.#estimate.match(request, candidates);
    const { tokens } = request;
    const blockTokens = tokens && mostUsedSize(candidates, this.#index);
    if (tokens === undefined || blockTokens === undefined)
      return new EventMatch(estimate, tokens !== undefined);
    const prompts = { request, tokens, blockTokens, candidates };
    return new EventMatch(estimate, true, new Exact(this.#index, this.#options, prompts));
  }

  *prepare(request: SchedulingRequest, candidates: readonly Endpoint[]): Generator<number, void> {
    yield* this.#estimate.prepare?.(request, candidates) ?? [];
  }

  insert(match: PrefixMatch, endpoint: Endpoint, now = 0, sent?: SentPrompt): void {
    if (!(match instanceof EventMatch)) return;
    this.#estimate.insert(match.estimate, endpoint, now);
    match.exact?.touch(endpoint);
    if (sent !== undefined && this.#options.isSpeculative) sent.keys = match.keysOf(endpoint);
  }

  retain(endpoints: readonly Endpoint[]): void {
    this.#estimate.retain(endpoints);
    this.#index.retain(endpoints);
  }
}

/** Block size of most candidates; undefined if no candidate publishes events. */
function mostUsedSize(candidates: readonly Endpoint[], index: KvIndex): number | undefined {
  const counts = new Map<number, number>();
  let most: number | undefined;
  for (const endpoint of candidates) {
    const size = index
      .blocks(endpoint)
      ?.find(({ blockSize }) => blockSize !== undefined)?.blockSize;
    if (size === undefined) continue;
    const count = (counts.get(size) ?? 0) + 1;
    counts.set(size, count);
    if (most === undefined || count > (counts.get(most) as number)) most = size;
  }
  return most;
}

class EventMatch implements PrefixMatch {
  readonly estimate: PrefixMatch;
  /** Undefined if only the estimate is known. */
  readonly exact: Exact | undefined;
  readonly #hasTokens: boolean;

  /** @param hasTokens whether the prompts' tokens are known, even if no events are received */
  constructor(estimate: PrefixMatch, hasTokens: boolean, exact?: Exact) {
    this.estimate = estimate;
    this.#hasTokens = hasTokens;
    this.exact = exact;
  }

  get blockTokens(): number {
    return (this.exact ?? this.estimate).blockTokens;
  }

  get totalBlocks(): number {
    return (this.exact ?? this.estimate).totalBlocks;
  }

  matchedBlocks(endpoint: Endpoint): number {
    const estimated = this.estimate.matchedBlocks(endpoint);
    return this.exact === undefined ? estimated : this.#matched(this.exact, endpoint, estimated);
  }

  matchedIn(endpoints: readonly Endpoint[]): Float64Array {
    const { exact, estimate } = this;
    const estimated = estimate.matchedIn(endpoints);
    if (exact === undefined) return estimated;
    return estimated.map((blocks, at) => this.#matched(exact, endpoints[at] as Endpoint, blocks));
  }

  #matched(exact: Exact, endpoint: Endpoint, estimated: number): number {
    const { blocks = 0, isAll = false } = exact.reported(endpoint) ?? {};
    const { totalBlocks } = this.estimate;
    if (isAll || totalBlocks === 0) return blocks;
    return Math.max(blocks, exact.totalBlocks * (estimated / totalBlocks));
  }

  /**
   * Keys of the prompts' blocks on an endpoint. Empty if they will never be known; undefined if later events may reveal
   * them.
   */
  keysOf(endpoint: Endpoint): readonly Float64Array[] | undefined {
    return this.#hasTokens ? this.exact?.keysOf(endpoint) : [];
  }

  ownBlocks(endpoint: Endpoint): number {
    return this.estimate.ownBlocks(endpoint);
  }

  uncachedTokens(endpoint: Endpoint): number {
    const { exact, estimate } = this;
    if (exact === undefined) return estimate.uncachedTokens(endpoint);
    return this.#uncached(exact, endpoint, this.matchedBlocks(endpoint));
  }

  uncachedIn(endpoints: readonly Endpoint[]): Float64Array {
    const { exact, estimate } = this;
    if (exact === undefined) return estimate.uncachedIn(endpoints);
    return this.matchedIn(endpoints).map((matched, at) =>
      this.#uncached(exact, endpoints[at] as Endpoint, matched),
    );
  }

  #uncached(exact: Exact, endpoint: Endpoint, matched: number): number {
    return Math.max(0, exact.tokens - matched * exact.blockTokens - this.sentByOthers(endpoint));
  }

  /** Excludes tokens that an endpoint is known to have, because all replicas receive the same events. */
  sentByOthers(endpoint: Endpoint): number {
    const sent = this.estimate.sentByOthers(endpoint);
    const { exact } = this;
    if (exact === undefined || sent === 0) return sent;
    return Math.min(sent, exact.tokens - exact.mostMatched * exact.blockTokens);
  }

  /** Uses the estimate, because only sent requests show how often prompts share a prefix. */
  copyCosts(endpoints: readonly Endpoint[], terms: ReplicaTerms): CopyCosts {
    return this.estimate.copyCosts(endpoints, terms);
  }

  source(endpoint: Endpoint): PrefixSource {
    return this.exact?.reported(endpoint) === undefined ? "estimate" : "events";
  }
}

interface TokenizedRequest {
  readonly request: SchedulingRequest;
  /** Tokens of each prompt. */
  readonly tokens: ReadonlyArray<ArrayLike<number>>;
  readonly blockTokens: number;
  readonly candidates: readonly Endpoint[];
}

/** Cached part of a request's prompts on an endpoint, from its events and the prompts sent since. */
interface Reported {
  readonly blocks: number;
  /**
   * No prompt in flight was sent before the endpoint's events were received. Only the estimate contains such prompts.
   */
  readonly isAll: boolean;
}

/** Cached parts of a request with known tokens, from the events of the endpoints. */
class Exact {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  readonly tokens: number;
  readonly #index: KvIndex;
  readonly #options: PreciseOptions;
  readonly #request: SchedulingRequest;
  readonly #prompts: ReadonlyArray<ArrayLike<number>>;
  readonly #candidates: readonly Endpoint[];
  /** Keys of every prompt, by block size and adapter. */
  readonly #chains = new Map<string, readonly Float64Array[]>();
  readonly #reported = new Map<LiveState, Reported>();

  constructor(index: KvIndex, options: PreciseOptions, prompts: TokenizedRequest) {
    const { request, tokens, blockTokens, candidates } = prompts;
    this.#index = index;
    this.#options = options;
    this.#request = request;
    this.#prompts = tokens;
    this.#candidates = candidates;
    this.blockTokens = blockTokens;
    this.tokens = tokens.reduce((sum, { length }) => sum + length, 0);
    this.totalBlocks = tokens.reduce(
      (sum, { length }) => sum + wholeBlocks(length, blockTokens),
      0,
    );
  }

  /**
   * Returns undefined if the endpoint's events are not received. An engine with several ranks selects a rank by load,
   * so the mean of the ranks counts.
   */
  reported(endpoint: Endpoint): Reported | undefined {
    const ranks = this.#index.blocks(endpoint);
    if (ranks === undefined) return undefined;
    const known = this.#reported.get(endpoint.live);
    if (known !== undefined) return known;
    const tokens = Math.max(this.#storedTokens(ranks, endpoint), this.#sentTokens(ranks, endpoint));
    const reported = {
      blocks: tokens / ranks.length / this.blockTokens,
      isAll: !this.#options.isSpeculative || everyKeyed(endpoint.live),
    };
    this.#reported.set(endpoint.live, reported);
    return reported;
  }

  #storedTokens(ranks: readonly EngineBlocks[], endpoint: Endpoint): number {
    let tokens = 0;
    for (const blocks of ranks) {
      let run = 0;
      for (const keys of this.#keys(blocks, endpoint))
        run += blocks.run(keys, this.#options.weights);
      tokens += run * (blocks.blockSize ?? 0);
    }
    return tokens;
  }

  touch(endpoint: Endpoint): void {
    for (const blocks of this.#index.blocks(endpoint) ?? [])
      for (const keys of this.#keys(blocks, endpoint)) blocks.touch(keys);
  }

  /** Blocks on the endpoint that has the most. */
  get mostMatched(): number {
    return Math.max(0, ...this.#candidates.map((each) => this.reported(each)?.blocks ?? 0));
  }

  /** Returns undefined if the endpoint's events are not received. */
  keysOf(endpoint: Endpoint): readonly Float64Array[] | undefined {
    const [first] = this.#index.blocks(endpoint) ?? [];
    return first && this.#keys(first, endpoint);
  }

  /**
   * Tokens of the longest prefix shared with a prompt in flight at the endpoint. One of its ranks has them cached by
   * the time it computes this request.
   */
  #sentTokens([first]: readonly EngineBlocks[], endpoint: Endpoint): number {
    if (first === undefined || !this.#options.isSpeculative) return 0;
    const chains = this.#keys(first, endpoint);
    let most = 0;
    for (const { keys } of endpoint.live.prompts)
      if (keys !== undefined) most = Math.max(most, commonBlocks(chains, keys));
    return most * (first.blockSize ?? 0);
  }

  #keys(blocks: EngineBlocks, endpoint: Endpoint): readonly Float64Array[] {
    const adapter = adapterOf(this.#request.targetModel, endpoint, blocks);
    const name = `${blocks.blockSize} ${adapter}`;
    const known = this.#chains.get(name);
    if (known !== undefined) return known;
    const { cacheSalt } = this.#request.payload;
    let left: number = limits.prefixBlocks.value;
    const chains = this.#prompts.map((tokens) => {
      const keys = blocks.keysOf({ tokens, adapter, cacheSalt }, left);
      left -= keys.length;
      return keys;
    });
    this.#chains.set(name, chains);
    return chains;
  }
}

function everyKeyed({ prompts }: LiveState): boolean {
  for (const { keys } of prompts) if (keys === undefined) return false;
  return true;
}

/** Number of blocks from the start that a prompt shares with one of `others`, summed over all prompts. */
function commonBlocks(chains: readonly Float64Array[], others: readonly Float64Array[]): number {
  let blocks = 0;
  for (const chain of chains) {
    let most = 0;
    for (const other of others) most = Math.max(most, commonLength(chain, other));
    blocks += most;
  }
  return blocks;
}

/** A key identifies all blocks up to its own, and most prompts in flight begin differently. */
const commonLength = (one: Float64Array, other: Float64Array): number =>
  one[0] === other[0]
    ? runLength(Math.min(one.length, other.length), (at) => one[at] === other[at])
    : 0;

/**
 * Returns the adapter that a model name refers to on an endpoint; empty for the base model. On a server with adapters,
 * an unknown name counts as an adapter: it has no blocks yet, and an adapter cannot use the blocks of the base model.
 */
function adapterOf(model: string, { live }: Endpoint, blocks: EngineBlocks): string {
  const { metrics } = live;
  if (blocks.knowsAdapter(model)) return model;
  if (metrics === undefined || metrics.servedModel === model) return "";
  const servesAdapters =
    metrics.maxActiveModels > 0 ||
    metrics.activeModels.has(model) ||
    metrics.waitingModels.has(model);
  return servesAdapters ? model : "";
}
