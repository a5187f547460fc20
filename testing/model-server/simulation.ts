import { type Allocation, BlockCache, blockKeys } from "./block-cache.ts";

/**
 * A model server in time: requests in, tokens out, the clock a parameter.
 *
 * It works in steps, as engines with continuous batching do. A step takes one token of every sequence that decodes and,
 * with the rest of the token budget, chunks of the prompts in order of arrival; prompts that do not fit wait for the
 * next step. A request waits in the queue until the batch has a slot, the KV cache has blocks for prompt and answer,
 * and its adapter has a slot. Cached tokens of a prompt are not computed again.
 *
 *     step = stepMs + sequences * stepMsPerSequence + prompt tokens / prefillTokensPerSecond
 *
 * Metrics are as old as the last step, as in vLLM 0.32: it counts after a step, before it accepts the requests that
 * arrived during it. So no figure contains a request that arrived during a step until the next one ends.
 */
export interface SimulationOptions {
  /** Sequences at once. Default 8. */
  readonly maxSequences?: number;
  /** Tokens of a step. Default 2,048. */
  readonly maxBatchedTokens?: number;
  /** Default 8,000. */
  readonly prefillTokensPerSecond?: number;
  /** Default 5. */
  readonly stepMs?: number;
  /** Default 0.5. */
  readonly stepMsPerSequence?: number;
  /** Tokens of a cache block. Default 16. */
  readonly blockTokens?: number;
  /** Blocks of the cache. Default 4,096. */
  readonly cacheBlocks?: number;
  /** Adapters at once. Default 2. */
  readonly adapterSlots?: number;
  /** Milliseconds until an adapter is loaded; nothing else is computed meanwhile. Default 50. */
  readonly adapterLoadMs?: number;
}

/** Engine settings if none are given. */
export const simulationDefaults: Required<SimulationOptions> = {
  maxSequences: 8,
  maxBatchedTokens: 2_048,
  prefillTokensPerSecond: 8_000,
  stepMs: 5,
  stepMsPerSequence: 0.5,
  blockTokens: 16,
  cacheBlocks: 4_096,
  adapterSlots: 2,
  adapterLoadMs: 50,
};

/** Characters that count as a token. */
export const tokenChars = 4;

export interface Job {
  readonly id: number;
  readonly prompt: string;
  /** Adapter, or undefined for the base model. */
  readonly adapter?: string | undefined;
  readonly maxTokens: number;
  /** The answer, where what follows in the conversation should find it in the cache. */
  readonly answer?: string;
  /** The prompt's KV cache came from a prefiller. */
  readonly prefilled?: boolean;
}

export interface Emission {
  readonly id: number;
  /** Milliseconds. */
  readonly at: number;
  /** Index of the token, from 0. */
  readonly token: number;
  readonly last: boolean;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

/** Receives the changes of an engine's cache, as a reader of its KV events does. */
export interface CacheListener {
  stored(block: CachedBlock): void;
  removed(key: string): void;
}

/** A block of text. */
export interface CachedBlock {
  readonly key: string;
  /** The key of the block before it; undefined for the first one. */
  readonly parent: string | undefined;
  readonly text: string;
}

/** A waiting request, with the lengths and hashes of its text. */
interface Waiting {
  readonly job: Job;
  readonly promptTokens: number;
  /** The hashes of the prompt's whole blocks. */
  readonly keys: readonly string[];
}

interface Sequence extends Waiting {
  readonly allocation: Allocation;
  readonly cachedTokens: number;
  /** Prompt and answer. */
  readonly text: string;
  /** Keys of the text, in order; the first `published` keys were reported to the cache. */
  readonly written: readonly string[];
  published: number;
  /** Tokens of prompt and answer whose keys and values are computed. */
  computed: number;
  emitted: number;
}

interface Step {
  readonly endsAt: number;
  /** Tokens that each sequence computes. */
  readonly tokens: ReadonlyMap<Sequence, number>;
}

export interface SimulationState {
  readonly waiting: number;
  readonly running: number;
  /** How many first tokens it has given out. */
  readonly firstTokens: number;
  /** How many requests it has answered whole. */
  readonly endedRequests: number;
  /** How many tokens of answers it has given out. */
  readonly generatedTokens: number;
  /** Share of the cache that running sequences hold. */
  readonly cacheUsage: number;
  readonly activeAdapters: readonly string[];
  readonly waitingAdapters: readonly string[];
}

export class Simulation {
  readonly options: Required<SimulationOptions>;
  readonly #cache: BlockCache;
  /** Those that were there when the step began. */
  #waiting: Waiting[] = [];
  /** Those that came during the step. */
  #came: Waiting[] = [];
  /** In order of arrival. */
  readonly #running = new Set<Sequence>();
  /** Loaded adapters in order of use, the oldest first. */
  readonly #adapters = new Set<string>();
  #step: Step | undefined;
  #listener: CacheListener | undefined;
  #firstTokens = 0;
  #endedRequests = 0;
  #generatedTokens = 0;
  #metrics: SimulationState;
  /** Factor by which every step takes longer. Default 1. */
  slowness = 1;

  constructor(options: SimulationOptions = {}) {
    this.options = { ...simulationDefaults, ...options };
    this.#cache = new BlockCache(this.options.cacheBlocks, (key) => this.#listener?.removed(key));
    this.#metrics = this.#stateWith(this.#waiting);
  }

  /** Tells of blocks that others may read from now on, and of those that are gone. */
  listen(listener: CacheListener): void {
    this.#listener = listener;
  }

  /** Time of the next event; Infinity while there is nothing to do. */
  get nextAt(): number {
    return this.#step?.endsAt ?? Number.POSITIVE_INFINITY;
  }

  /** How it is now. */
  get state(): SimulationState {
    return this.#stateWith([...this.#waiting, ...this.#came]);
  }

  #stateWith(waiting: readonly Waiting[]): SimulationState {
    const wanted = waiting.flatMap(({ job }) => job.adapter ?? []);
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

  /** The state at the end of the last step, without requests that arrived during it: the values on its metrics page. */
  get metrics(): SimulationState {
    return this.#metrics;
  }

  /** Prompt tokens that must be computed before a request that arrives now. */
  get promptTokensAhead(): number {
    let tokens = 0;
    for (const { promptTokens, computed } of this.#running)
      tokens += Math.max(0, promptTokens - computed);
    for (const { keys, promptTokens } of [...this.#waiting, ...this.#came])
      tokens += promptTokens - this.#cachedTokens(keys, promptTokens);
    return tokens;
  }

  /** How many tokens of a prompt are cached. */
  cachedTokens(prompt: string, adapter?: string): number {
    return this.#cachedTokens(this.#keys(prompt, adapter), promptTokensOf(prompt));
  }

  submit(job: Job, now: number): void {
    const { prompt, adapter } = job;
    const promptTokens = promptTokensOf(prompt);
    this.#came.push({ job, promptTokens, keys: this.#keys(prompt, adapter) });
    if (this.#step === undefined) this.#begin(now);
  }

  cancel(id: number): void {
    const isOther = ({ job }: Waiting) => job.id !== id;
    this.#waiting = this.#waiting.filter(isOther);
    this.#came = this.#came.filter(isOther);
    for (const sequence of this.#running) if (sequence.job.id === id) this.#end(sequence);
  }

  /** Everything that happens up to `now`, in order. */
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
    const { stepMs, stepMsPerSequence, prefillTokensPerSecond, maxBatchedTokens } = this.options;
    this.#waiting.push(...this.#came);
    this.#came = [];
    const tokens = new Map<Sequence, number>();
    let budget = maxBatchedTokens;
    let promptTokens = 0;
    const take = (sequence: Sequence) => {
      const left = sequence.promptTokens - sequence.computed;
      const count = Math.min(Math.max(1, left), budget);
      if (count === 0) return;
      tokens.set(sequence, count);
      budget -= count;
      if (left > 0) promptTokens += count;
    };
    for (const sequence of this.#running) take(sequence);
    let loadMs = 0;
    for (const waiting of [...this.#waiting]) {
      if (budget === 0 || this.#running.size >= this.options.maxSequences) break;
      const load = this.#loadAdapter(waiting.job.adapter);
      // Those behind a request whose adapter has no slot go first; those behind one without blocks wait, too.
      if (load === undefined) continue;
      const sequence = this.#admit(waiting);
      if (sequence === undefined) break;
      loadMs += load;
      take(sequence);
    }
    this.#step =
      tokens.size === 0
        ? undefined
        : {
            tokens,
            endsAt:
              now +
              loadMs +
              this.slowness *
                (stepMs +
                  tokens.size * stepMsPerSequence +
                  (1000 * promptTokens) / prefillTokensPerSecond),
          };
  }

  #admit(waiting: Waiting): Sequence | undefined {
    const { blockTokens, cacheBlocks } = this.options;
    const { job, keys, promptTokens } = waiting;
    const blocks = Math.ceil((promptTokens + job.maxTokens) / blockTokens);
    const allocation = this.#cache.allocate(keys, Math.min(blocks, cacheBlocks));
    if (allocation === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    // The last token is computed in any case: its output is the first answer.
    const cachedTokens = Math.min(allocation.keys.length * blockTokens, promptTokens - 1);
    const { prompt, answer } = job;
    const text = answer === undefined ? prompt : prompt + answer;
    const sequence: Sequence = {
      ...waiting,
      allocation,
      cachedTokens,
      text,
      written: answer === undefined ? keys : this.#keys(text, job.adapter),
      published: allocation.keys.length,
      computed: job.prefilled ? promptTokens - 1 : cachedTokens,
      emitted: 0,
    };
    this.#running.add(sequence);
    return sequence;
  }

  #computed(sequence: Sequence, count: number, at: number, emissions: Emission[]): void {
    const { blockTokens } = this.options;
    const { job, promptTokens, cachedTokens, written, allocation } = sequence;
    sequence.computed += count;
    for (; (sequence.published + 1) * blockTokens <= sequence.computed; sequence.published += 1) {
      const at = sequence.published;
      const key = written[at];
      if (key === undefined) break;
      const chars = blockTokens * tokenChars;
      if (!this.#cache.publish(allocation, key) || this.#listener === undefined) continue;
      const text = sequence.text.slice(at * chars, (at + 1) * chars);
      this.#listener.stored({ key, parent: written[at - 1], text });
    }
    if (sequence.computed < promptTokens) return;
    const token = sequence.emitted;
    if (token === 0) this.#firstTokens += 1;
    sequence.emitted += 1;
    this.#generatedTokens += 1;
    const last = sequence.emitted >= job.maxTokens;
    emissions.push({ id: job.id, at, token, last, promptTokens, cachedTokens });
    if (!last) return;
    this.#endedRequests += 1;
    this.#end(sequence);
  }

  #end(sequence: Sequence): void {
    this.#running.delete(sequence);
    this.#cache.release(sequence.allocation);
  }

  #keys(text: string, adapter = ""): readonly string[] {
    return blockKeys(adapter, text, this.options.blockTokens * tokenChars);
  }

  #cachedTokens(keys: readonly string[], promptTokens: number): number {
    return Math.min(this.#cache.hits(keys) * this.options.blockTokens, promptTokens - 1);
  }

  /** Milliseconds until the adapter is there; undefined while all slots are in use. */
  #loadAdapter(adapter: string | undefined): number | undefined {
    if (adapter === undefined) return 0;
    const loaded = this.#adapters.delete(adapter);
    if (!loaded && this.#adapters.size >= this.options.adapterSlots) {
      const used = new Set([...this.#running].map(({ job }) => job.adapter));
      const idle = [...this.#adapters].find((name) => !used.has(name));
      if (idle === undefined) return undefined;
      this.#adapters.delete(idle);
    }
    this.#adapters.add(adapter);
    return loaded ? 0 : this.options.adapterLoadMs;
  }
}

const promptTokensOf = (prompt: string) => Math.max(1, Math.ceil(prompt.length / tokenChars));
