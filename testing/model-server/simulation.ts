import { constantTimes } from "../../sdk/simulation/engine/step-times.ts";
import {
  type Emission,
  type EngineRequest,
  type EngineState,
  VirtualEngine,
} from "../../sdk/simulation/engine/virtual-engine.ts";
import { blockKeys } from "./block-keys.ts";

/** A virtual engine that reads text: its tokens have four characters, and its step times are constants. */
export interface SimulationOptions {
  /** Sequences in a step. Default 8. */
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
  /** Number of loaded adapters. Default 2. */
  readonly adapterSlots?: number;
  /** Time to load an adapter, in ms; nothing else is computed meanwhile. Default 50. */
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
  /** Adapter; undefined for the base model. */
  readonly adapter?: string | undefined;
  readonly maxTokens: number;
  /** The response, if later prompts of the conversation should find it in the cache. */
  readonly answer?: string;
  /** Whether the prompt's KV cache came from a prefiller. */
  readonly prefilled?: boolean;
}

export type { Emission };

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

export class Simulation {
  readonly options: Required<SimulationOptions>;
  readonly #engine: VirtualEngine;

  constructor(options: SimulationOptions = {}) {
    this.options = { ...simulationDefaults, ...options };
    this.#engine = new VirtualEngine({ ...this.options, times: constantTimes(this.options) });
  }

  /** Factor by which every step takes longer. Default 1. */
  get slowness(): number {
    return this.#engine.slowness;
  }

  set slowness(factor: number) {
    this.#engine.slowness = factor;
  }

  /** Reports the blocks that other sequences can read from now on, and the evicted ones. */
  listen(listener: CacheListener): void {
    const chars = this.options.blockTokens * tokenChars;
    this.#engine.listen({
      stored: (request, index, key) => {
        const { text, writtenKeys } = request as TextRequest;
        const block = text.slice(index * chars, (index + 1) * chars);
        listener.stored({ key, parent: writtenKeys[index - 1], text: block });
      },
      removed: (key) => listener.removed(key),
    });
  }

  /** Time of the next event; Infinity while nothing is computed. */
  get nextAt(): number {
    return this.#engine.nextAt;
  }

  get state(): EngineState {
    return this.#engine.state;
  }

  /** The state at the end of the last step, without requests that arrived during it: the values on its metrics page. */
  get metrics(): EngineState {
    return this.#engine.metrics;
  }

  /** Prompt tokens that must be computed before a request that arrives now. */
  get promptTokensAhead(): number {
    return this.#engine.promptTokensAhead;
  }

  /** Returns the number of cached tokens of a prompt. */
  cachedTokens(prompt: string, adapter?: string): number {
    return this.#engine.cachedTokens(this.#keys(prompt, adapter), promptTokensOf(prompt));
  }

  submit(job: Job, now: number): void {
    const { id, prompt, answer, adapter, maxTokens, prefilled } = job;
    const promptKeys = this.#keys(prompt, adapter);
    const text = answer === undefined ? prompt : prompt + answer;
    const request: TextRequest = {
      ...{ id, promptKeys, text, adapter },
      promptTokens: promptTokensOf(prompt),
      writtenKeys: answer === undefined ? promptKeys : this.#keys(text, adapter),
      responseTokens: maxTokens,
      isPrefilled: prefilled,
    };
    this.#engine.submit(request, now);
  }

  cancel(id: number): void {
    this.#engine.cancel(id);
  }

  /** Returns the tokens that are generated until `now`, in order. */
  advance(now: number): Emission[] {
    return this.#engine.advance(now);
  }

  #keys(text: string, adapter = ""): readonly string[] {
    return blockKeys(adapter, text, this.options.blockTokens * tokenChars);
  }
}

interface TextRequest extends EngineRequest {
  readonly text: string;
  readonly writtenKeys: readonly string[];
}

const promptTokensOf = (prompt: string) => Math.max(1, Math.ceil(prompt.length / tokenChars));
