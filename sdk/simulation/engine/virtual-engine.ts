import { type Allocation, BlockCache } from "./block-cache.ts";
import type { StepTimes } from "./step-times.ts";

export interface VirtualEngineOptions {
  /** Maximum number of sequences in a step. */
  readonly maxSequences: number;
  /** Maximum number of tokens in a step. */
  readonly maxBatchedTokens: number;
  /** Tokens of a cache block. */
  readonly blockTokens: number;
  /** Blocks of the KV cache. */
  readonly cacheBlocks: number;
  /** Maximum number of loaded adapters. */
  readonly adapterSlots: number;
  /** Time to load an adapter, in ms. The engine computes nothing meanwhile. */
  readonly adapterLoadMs: number;
  readonly times: StepTimes;
}

export interface EngineRequest {
  readonly id: number;
  readonly promptTokens: number;
  /** A key for each whole block of the prompt: a hash of all tokens up to the block's end. */
  readonly promptKeys: readonly string[];
  /** Keys of the prompt and of the response, if a later prompt may contain both. Default: the prompt's keys. */
  readonly writtenKeys?: readonly string[];
  readonly responseTokens: number;
  /** Undefined for the base model. */
  readonly adapter?: string | undefined;
  /** Whether the prompt's keys and values arrive from a prefiller. Default false. */
  readonly isPrefilled?: boolean | undefined;
}

/** A generated token. */
export interface Emission {
  readonly id: number;
  /** In ms. */
  readonly at: number;
  /** Index of the token in the response, from 0. */
  readonly token: number;
  readonly last: boolean;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

/** Receives the changes of an engine's cache, like a reader of its KV events. */
export interface CacheListener {
  /** A block can be read by other sequences: the block of a request with this index. */
  stored(request: EngineRequest, index: number, key: string): void;
  removed(key: string): void;
}

export interface EngineState {
  readonly waiting: number;
  readonly running: number;
  /** Number of first tokens generated so far. */
  readonly firstTokens: number;
  /** Number of complete responses so far. */
  readonly endedRequests: number;
  /** Number of tokens generated so far. */
  readonly generatedTokens: number;
  /** Share of the cache that running sequences hold. */
  readonly cacheUsage: number;
  readonly activeAdapters: readonly string[];
  readonly waitingAdapters: readonly string[];
}

interface Sequence {
  readonly request: EngineRequest;
  readonly allocation: Allocation;
  readonly cachedTokens: number;
  /** Number of written blocks that the cache has. */
  published: number;
  /** Tokens of prompt and response whose keys and values are computed. */
  computed: number;
  emitted: number;
}

interface Step {
  readonly endsAt: number;
  /** Number of tokens that each sequence computes. */
  readonly tokens: ReadonlyMap<Sequence, number>;
}

/**
 * An engine with continuous batching in virtual time. A step computes one token of every decoding sequence and, with the
 * rest of the token budget, parts of prompts in order of arrival. A request waits until the batch has a slot, the KV cache
 * has blocks for prompt and response, and its adapter has a slot. Cached tokens of a prompt are not computed again.
 *
 * Metrics have the age of the last step, as in vLLM 0.32: it counts after a step and before it accepts the requests that
 * arrived during the step.
 */
export class VirtualEngine {
  readonly options: VirtualEngineOptions;
  readonly #cache: BlockCache;
  /** Requests that waited when the current step began. */
  #waiting: EngineRequest[] = [];
  /** Requests that arrived during the current step. */
  #arrived: EngineRequest[] = [];
  /** In order of arrival. */
  readonly #running = new Set<Sequence>();
  /** Loaded adapters, the least recently used first. */
  readonly #adapters = new Set<string>();
  #step: Step | undefined;
  #listener: CacheListener | undefined;
  #firstTokens = 0;
  #endedRequests = 0;
  #generatedTokens = 0;
  #metrics: EngineState;
  /** Factor by which every step takes longer. */
  slowness = 1;

  constructor(options: VirtualEngineOptions) {
    this.options = options;
    this.#cache = new BlockCache(options.cacheBlocks, (key) => this.#listener?.removed(key));
    this.#metrics = this.#stateWith(this.#waiting);
  }

  listen(listener: CacheListener): void {
    this.#listener = listener;
  }

  /** Time of the end of the current step; Infinity if nothing is computed. */
  get nextAt(): number {
    return this.#step?.endsAt ?? Number.POSITIVE_INFINITY;
  }

  get state(): EngineState {
    return this.#stateWith([...this.#waiting, ...this.#arrived]);
  }

  #stateWith(waiting: readonly EngineRequest[]): EngineState {
    const wanted = waiting.flatMap(({ adapter }) => adapter ?? []);
    return {
      waiting: waiting.length,
      running: this.#running.size,
      firstTokens: this.#firstTokens,
      endedRequests: this.#endedRequests,
      generatedTokens: this.#generatedTokens,
      cacheUsage: this.#cache.used / this.options.cacheBlocks,
      activeAdapters: [...this.#adapters],
      waitingAdapters: [...new Set(wanted)],
    };
  }

  /** State at the end of the last step, without the requests that arrived during it: the values of its metrics page. */
  get metrics(): EngineState {
    return this.#metrics;
  }

  /** Prompt tokens that are computed before a request that arrives now. */
  get promptTokensAhead(): number {
    let tokens = 0;
    for (const { request, computed } of this.#running)
      tokens += Math.max(0, request.promptTokens - computed);
    for (const { promptKeys, promptTokens } of [...this.#waiting, ...this.#arrived])
      tokens += promptTokens - this.cachedTokens(promptKeys, promptTokens);
    return tokens;
  }

  /** Returns how many tokens of a prompt are cached. Its last token is always computed: it generates the first response. */
  cachedTokens(keys: readonly string[], promptTokens: number): number {
    return Math.min(this.#cache.hits(keys) * this.options.blockTokens, promptTokens - 1);
  }

  submit(request: EngineRequest, now: number): void {
    this.#arrived.push(request);
    if (this.#step === undefined) this.#begin(now);
  }

  cancel(id: number): void {
    const isOther = (request: EngineRequest) => request.id !== id;
    this.#waiting = this.#waiting.filter(isOther);
    this.#arrived = this.#arrived.filter(isOther);
    for (const sequence of this.#running) if (sequence.request.id === id) this.#end(sequence);
  }

  /** Returns the tokens that are generated until `now`, in order. */
  advance(now: number): Emission[] {
    const emissions: Emission[] = [];
    while (this.#step !== undefined && this.#step.endsAt <= now) {
      const { endsAt, tokens } = this.#step;
      for (const [sequence, count] of tokens)
        if (this.#running.has(sequence)) this.#computed(sequence, count, endsAt, emissions);
      this.#metrics = this.#stateWith(this.#waiting);
      this.#begin(endsAt);
    }
    return emissions;
  }

  #begin(now: number): void {
    const { times, maxBatchedTokens, maxSequences } = this.options;
    this.#waiting.push(...this.#arrived);
    this.#arrived = [];
    const tokens = new Map<Sequence, number>();
    const prompts: Array<[from: number, to: number]> = [];
    let budget = maxBatchedTokens;
    let decoding = 0;
    let contextTokens = 0;
    const take = (sequence: Sequence) => {
      const { request, computed } = sequence;
      const left = request.promptTokens - computed;
      const count = Math.min(Math.max(1, left), budget);
      if (count === 0) return;
      tokens.set(sequence, count);
      budget -= count;
      if (left > 0) prompts.push([computed, computed + count]);
      else {
        decoding += 1;
        contextTokens += computed;
      }
    };
    for (const sequence of this.#running) take(sequence);
    let loadMs = 0;
    for (const waiting of [...this.#waiting]) {
      if (budget === 0 || this.#running.size >= maxSequences) break;
      const load = this.#loadAdapter(waiting.adapter);
      // A request whose adapter has no slot lets later ones pass. A request without blocks does not.
      if (load === undefined) continue;
      const sequence = this.#admit(waiting);
      if (sequence === undefined) break;
      loadMs += load;
      take(sequence);
    }
    const ms = this.slowness * times({ decoding, contextTokens, prompts });
    this.#step = tokens.size === 0 ? undefined : { tokens, endsAt: now + loadMs + ms };
  }

  #admit(request: EngineRequest): Sequence | undefined {
    const { blockTokens, cacheBlocks } = this.options;
    const { promptTokens, promptKeys, responseTokens, isPrefilled = false } = request;
    const blocks = Math.ceil((promptTokens + responseTokens) / blockTokens);
    const allocation = this.#cache.allocate(promptKeys, Math.min(blocks, cacheBlocks));
    if (allocation === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(request), 1);
    const cachedTokens = Math.min(allocation.keys.length * blockTokens, promptTokens - 1);
    const sequence: Sequence = {
      ...{ request, allocation, cachedTokens, emitted: 0 },
      published: allocation.keys.length,
      computed: isPrefilled ? promptTokens - 1 : cachedTokens,
    };
    this.#running.add(sequence);
    return sequence;
  }

  #computed(sequence: Sequence, count: number, at: number, emissions: Emission[]): void {
    const { blockTokens } = this.options;
    const { request, cachedTokens, allocation } = sequence;
    const { id, promptTokens, promptKeys, writtenKeys = promptKeys, responseTokens } = request;
    sequence.computed += count;
    for (; (sequence.published + 1) * blockTokens <= sequence.computed; sequence.published += 1) {
      const key = writtenKeys[sequence.published];
      if (key === undefined) break;
      if (this.#cache.publish(allocation, key))
        this.#listener?.stored(request, sequence.published, key);
    }
    if (sequence.computed < promptTokens) return;
    const token = sequence.emitted;
    if (token === 0) this.#firstTokens += 1;
    sequence.emitted += 1;
    this.#generatedTokens += 1;
    const last = sequence.emitted >= responseTokens;
    emissions.push({ id, at, token, last, promptTokens, cachedTokens });
    if (!last) return;
    this.#endedRequests += 1;
    this.#end(sequence);
  }

  #end(sequence: Sequence): void {
    this.#running.delete(sequence);
    this.#cache.release(sequence.allocation);
  }

  /** Returns the time to load an adapter, in ms; undefined while all slots are in use. */
  #loadAdapter(adapter: string | undefined): number | undefined {
    if (adapter === undefined) return 0;
    const isLoaded = this.#adapters.delete(adapter);
    if (!isLoaded && this.#adapters.size >= this.options.adapterSlots) {
      const used = new Set([...this.#running].map(({ request }) => request.adapter));
      const idle = [...this.#adapters].find((name) => !used.has(name));
      if (idle === undefined) return undefined;
      this.#adapters.delete(idle);
    }
    this.#adapters.add(adapter);
    return isLoaded ? 0 : this.options.adapterLoadMs;
  }
}
