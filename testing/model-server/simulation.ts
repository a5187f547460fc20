import { BlockCache, blockKeys } from "./block-cache.ts";

/**
 * A model server in time: events in, tokens out, the clock a parameter.
 *
 * Requests wait in line until the batch has room and their adapter a slot. Prompts are prefilled one after another at
 * a fixed rate, the cached part for nothing; the first token comes with the end of the prefill. Every further token
 * takes one decode step, which is common to all sequences that decode and longer the more they are:
 *
 *     time to first token = waiting + uncached prompt tokens / prefillTokensPerSecond
 *     decode step         = stepMs + sequences * stepMsPerSequence
 */
export interface SimulationOptions {
  /** Sequences at once. Default 8. */
  readonly maxSequences?: number;
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
  /** Milliseconds until an adapter is loaded. Default 50. */
  readonly adapterLoadMs?: number;
}

/** Characters that count as a token. */
export const tokenChars = 4;

export interface Job {
  readonly id: number;
  readonly prompt: string;
  /** Adapter, or undefined for the base model. */
  readonly adapter?: string | undefined;
  readonly maxTokens: number;
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

interface Sequence {
  readonly job: Job;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly blocks: number;
  readonly loadMs: number;
  emitted: number;
}

export interface SimulationState {
  readonly waiting: number;
  readonly running: number;
  /** Share of the cache that running sequences hold. */
  readonly cacheUsage: number;
  readonly activeAdapters: readonly string[];
  readonly waitingAdapters: readonly string[];
}

export class Simulation {
  readonly options: Required<SimulationOptions>;
  readonly #cache: BlockCache;
  readonly #waiting: Job[] = [];
  readonly #prefills: Sequence[] = [];
  readonly #decoding = new Set<Sequence>();
  /** Loaded adapters in order of use, the oldest first. */
  readonly #adapters = new Set<string>();
  #prefillEnds = Number.POSITIVE_INFINITY;
  #stepEnds = Number.POSITIVE_INFINITY;

  constructor(options: SimulationOptions = {}) {
    this.options = {
      maxSequences: 8,
      prefillTokensPerSecond: 8_000,
      stepMs: 5,
      stepMsPerSequence: 0.5,
      blockTokens: 16,
      cacheBlocks: 4_096,
      adapterSlots: 2,
      adapterLoadMs: 50,
      ...options,
    };
    this.#cache = new BlockCache(this.options.cacheBlocks);
  }

  /** Time of the next event; Infinity while there is nothing to do. */
  get nextAt(): number {
    return Math.min(this.#prefillEnds, this.#stepEnds);
  }

  get state(): SimulationState {
    const running = [...this.#prefills, ...this.#decoding];
    const blocks = running.reduce((sum, sequence) => sum + sequence.blocks, 0);
    const wanted = this.#waiting.flatMap(({ adapter }) => (adapter === undefined ? [] : [adapter]));
    return {
      waiting: this.#waiting.length,
      running: running.length,
      cacheUsage: Math.min(1, blocks / this.options.cacheBlocks),
      activeAdapters: [...this.#adapters],
      waitingAdapters: [...new Set(wanted)],
    };
  }

  submit(job: Job, now: number): void {
    this.#waiting.push(job);
    this.#admit(now);
  }

  cancel(id: number, now: number): void {
    const at = this.#waiting.findIndex((job) => job.id === id);
    if (at >= 0) this.#waiting.splice(at, 1);
    for (const sequence of this.#decoding)
      if (sequence.job.id === id) this.#decoding.delete(sequence);
    // A prefill that has begun is finished; nobody takes its token.
    const prefill = this.#prefills.findIndex(({ job }) => job.id === id);
    if (prefill > 0) this.#prefills.splice(prefill, 1);
    this.#admit(now);
  }

  /** Everything that happens up to `now`, in order. */
  advance(now: number): Emission[] {
    const emissions: Emission[] = [];
    while (this.nextAt <= now) {
      const at = this.nextAt;
      if (this.#prefillEnds <= this.#stepEnds) this.#endPrefill(at, emissions);
      else this.#endStep(at, emissions);
      this.#admit(at);
    }
    return emissions;
  }

  /** In line, but past those whose adapter has no slot. */
  #admit(now: number): void {
    for (let at = 0; at < this.#waiting.length && this.#hasRoom(); ) {
      const job = this.#waiting[at] as Job;
      const loadMs = this.#loadAdapter(job.adapter);
      if (loadMs === undefined) at += 1;
      else {
        this.#waiting.splice(at, 1);
        this.#prefills.push(this.#begin(job, loadMs));
      }
    }
    if (this.#prefills.length > 0 && this.#prefillEnds === Number.POSITIVE_INFINITY)
      this.#startPrefill(now);
  }

  #hasRoom(): boolean {
    return this.#prefills.length + this.#decoding.size < this.options.maxSequences;
  }

  #begin(job: Job, loadMs: number): Sequence {
    const { blockTokens } = this.options;
    const promptTokens = Math.max(1, Math.ceil(job.prompt.length / tokenChars));
    const keys = blockKeys(job.adapter ?? "", job.prompt, blockTokens * tokenChars);
    const hits = this.#cache.admit(keys) * blockTokens;
    // The last token is computed in any case: its output is the first answer.
    const cachedTokens = Math.min(hits, promptTokens - 1);
    const blocks = Math.ceil((promptTokens + job.maxTokens) / blockTokens);
    return { job, promptTokens, cachedTokens, blocks, loadMs, emitted: 0 };
  }

  /** Milliseconds until the adapter is there; undefined while all slots are in use. */
  #loadAdapter(adapter: string | undefined): number | undefined {
    if (adapter === undefined) return 0;
    const loaded = this.#adapters.delete(adapter);
    if (!loaded && this.#adapters.size >= this.options.adapterSlots) {
      const used = new Set([...this.#prefills, ...this.#decoding].map(({ job }) => job.adapter));
      const idle = [...this.#adapters].find((name) => !used.has(name));
      if (idle === undefined) return undefined;
      this.#adapters.delete(idle);
    }
    this.#adapters.add(adapter);
    return loaded ? 0 : this.options.adapterLoadMs;
  }

  #startPrefill(now: number): void {
    const [next] = this.#prefills;
    if (next === undefined) {
      this.#prefillEnds = Number.POSITIVE_INFINITY;
      return;
    }
    const tokens = next.job.prefilled ? 0 : next.promptTokens - next.cachedTokens;
    this.#prefillEnds = now + next.loadMs + (1000 * tokens) / this.options.prefillTokensPerSecond;
  }

  #endPrefill(at: number, emissions: Emission[]): void {
    const sequence = this.#prefills.shift() as Sequence;
    this.#emit(sequence, at, emissions);
    if (sequence.emitted < sequence.job.maxTokens) this.#decoding.add(sequence);
    this.#startPrefill(at);
    if (this.#stepEnds === Number.POSITIVE_INFINITY) this.#startStep(at);
  }

  #startStep(at: number): void {
    const { stepMs, stepMsPerSequence } = this.options;
    const sequences = this.#decoding.size;
    this.#stepEnds =
      sequences === 0 ? Number.POSITIVE_INFINITY : at + stepMs + sequences * stepMsPerSequence;
  }

  #endStep(at: number, emissions: Emission[]): void {
    for (const sequence of this.#decoding) {
      this.#emit(sequence, at, emissions);
      if (sequence.emitted >= sequence.job.maxTokens) this.#decoding.delete(sequence);
    }
    this.#startStep(at);
  }

  #emit(sequence: Sequence, at: number, emissions: Emission[]): void {
    const { job, promptTokens, cachedTokens } = sequence;
    const token = sequence.emitted;
    sequence.emitted += 1;
    const last = sequence.emitted >= job.maxTokens;
    emissions.push({ id: job.id, at, token, last, promptTokens, cachedTokens });
  }
}
