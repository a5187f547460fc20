import type { Endpoint, LiveState, SentPrompt } from "../endpoint.ts";
import { limits } from "../limits.ts";
import {
  type CopyCosts,
  type PrefixCache,
  type PrefixMatch,
  runLength,
} from "../prefix-cache/prefix-match.ts";
import type { ReplicaTerms } from "../prefix-cache/replica-cost.ts";
import type { SchedulingRequest } from "../request.ts";
import type { PrefixSource } from "../scheduling-observer.ts";
import { type EngineBlocks, wholeBlocks } from "./engine-blocks.ts";
import type { KvIndex } from "./kv-index.ts";

export interface PreciseOptions {
  /** What a block counts in each tier, in the order of `tiers`. */
  readonly weights: readonly number[];
  /** What was sent to an endpoint counts as cached there before its answer begins. */
  readonly isSpeculative: boolean;
}

/**
 * Which server has cached which prompts, by what the servers say. An endpoint whose events are not heard, and a request
 * whose tokens are not known, are answered by an estimate from where requests were sent.
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

  insert(match: PrefixMatch, endpoint: Endpoint, sent?: SentPrompt): void {
    if (!(match instanceof EventMatch)) return;
    this.#estimate.insert(match.estimate, endpoint, sent);
    match.exact?.touch(endpoint);
    if (sent !== undefined && this.#options.isSpeculative) sent.keys = match.keysOf(endpoint);
  }

  retain(endpoints: readonly Endpoint[]): void {
    this.#estimate.retain(endpoints);
    this.#index.retain(endpoints);
  }
}

/** The size of blocks that most candidates have; undefined where nobody tells events. */
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
  /** Undefined where nothing but the estimate is known. */
  readonly exact: Exact | undefined;
  readonly #hasTokens: boolean;

  /** @param hasTokens the prompts' tokens are known, whether anybody's events are heard or not */
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

  /** Keys of the prompts' blocks on an endpoint; none where they will never be known, undefined where its events may tell. */
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

  /** Counts nothing that an endpoint is known to have: replicas hear the same events. */
  sentByOthers(endpoint: Endpoint): number {
    const sent = this.estimate.sentByOthers(endpoint);
    const { exact } = this;
    if (exact === undefined || sent === 0) return sent;
    return Math.min(sent, exact.tokens - exact.mostMatched * exact.blockTokens);
  }

  /** How often prompts begin alike is known of those that were sent. */
  copyCosts(endpoints: readonly Endpoint[], terms: ReplicaTerms): CopyCosts {
    return this.estimate.copyCosts(endpoints, terms);
  }

  source(endpoint: Endpoint): PrefixSource {
    return this.exact?.reported(endpoint) === undefined ? "estimate" : "events";
  }
}

interface TokenizedRequest {
  readonly request: SchedulingRequest;
  /** Those of each prompt. */
  readonly tokens: ReadonlyArray<ArrayLike<number>>;
  readonly blockTokens: number;
  readonly candidates: readonly Endpoint[];
}

/** What an endpoint has of a request's prompts, by its events and by what was sent there since. */
interface Reported {
  readonly blocks: number;
  /** Nothing is under way there that was sent before its events were heard: only the estimate knows of such. */
  readonly isAll: boolean;
}

/** What the events of the endpoints say of a request's tokens. */
class Exact {
  readonly blockTokens: number;
  readonly totalBlocks: number;
  readonly tokens: number;
  readonly #index: KvIndex;
  readonly #options: PreciseOptions;
  readonly #request: SchedulingRequest;
  readonly #prompts: ReadonlyArray<ArrayLike<number>>;
  readonly #candidates: readonly Endpoint[];
  /** Keys of every prompt, by the size of blocks and the adapter. */
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
   * Undefined where the endpoint's events are not heard. An engine of several ranks gives a request to any of them, by their
   * load: what it has then is what they have on average.
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

  /** Blocks that the endpoint has which has most of them. */
  get mostMatched(): number {
    return Math.max(0, ...this.#candidates.map((each) => this.reported(each)?.blocks ?? 0));
  }

  /** Undefined where the endpoint's events are not heard. */
  keysOf(endpoint: Endpoint): readonly Float64Array[] | undefined {
    const [first] = this.#index.blocks(endpoint) ?? [];
    return first && this.#keys(first, endpoint);
  }

  /** Tokens that a prompt before this one has at the endpoint: one of its ranks has them once their turn has come. */
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

/** Blocks from the start that each prompt has in common with one of others. */
function commonBlocks(chains: readonly Float64Array[], others: readonly Float64Array[]): number {
  let blocks = 0;
  for (const chain of chains) {
    let most = 0;
    for (const other of others) most = Math.max(most, commonLength(chain, other));
    blocks += most;
  }
  return blocks;
}

/** A key stands for all blocks up to its own. Most prompts that are under way begin otherwise. */
const commonLength = (one: Float64Array, other: Float64Array): number =>
  one[0] === other[0]
    ? runLength(Math.min(one.length, other.length), (at) => one[at] === other[at])
    : 0;

/**
 * The adapter that a model name stands for on an endpoint; empty for the base model. Where adapters are served, a name that
 * nobody knows is taken for one: it has no blocks, while those of the base model are of no use to an adapter.
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
