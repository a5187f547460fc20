import { createHash, randomBytes } from "node:crypto";
import type { BlockStored, KvEvent, KvEventBatch } from "./kv-event.ts";

/** A prompt as an engine receives it. */
export interface EnginePrompt {
  readonly tokens: readonly number[];
  readonly adapter: string;
  readonly cacheSalt: string;
}

/**
 * Simulates vLLM's prefix cache and its events: blocks are hashed with a secret seed, the least recently used block is
 * evicted first, and the last messages are kept for replay. `hits` returns the blocks that the engine itself would
 * reuse.
 */
export class PublishingEngine {
  readonly #blockSize: number;
  readonly #capacity: number;
  readonly #buffer: number;
  #seed = randomBytes(8);
  /** Cached blocks by hash, least recently used first. */
  #cached = new Map<string, number>();
  #sequence = 0;
  /** The most recent messages, up to the size of the buffer. */
  history: Array<{ readonly sequence: number; readonly batch: KvEventBatch }> = [];

  constructor({ blockSize = 4, capacity = 12, buffer = 6 } = {}) {
    this.#blockSize = blockSize;
    this.#capacity = capacity;
    this.#buffer = buffer;
  }

  get cached(): number {
    return this.#cached.size;
  }

  /** Replaces the engine with a new process. */
  restart(): void {
    this.#seed = randomBytes(8);
    this.#cached = new Map();
    this.#sequence = 0;
    this.history = [];
  }

  /** Number of a prompt's blocks that it would reuse. */
  hits(prompt: EnginePrompt): number {
    const hashes = this.#hashes(prompt);
    const missing = hashes.findIndex((hash) => !this.#cached.has(hash));
    const hits = missing < 0 ? hashes.length : missing;
    return Math.min(hits, Math.max(0, Math.ceil(prompt.tokens.length / this.#blockSize) - 1));
  }

  /** Serves a prompt. Returns the number of the message that reports the new blocks; undefined if there are none. */
  serve(prompt: EnginePrompt): number | undefined {
    const hashes = this.#hashes(prompt);
    const hits = this.hits(prompt);
    for (const hash of hashes.slice(0, hits)) this.#use(hash);
    const fresh = hashes.slice(hits);
    if (fresh.length === 0) return undefined;
    for (const hash of fresh) this.#use(hash);
    const size = this.#blockSize;
    const stored: BlockStored = {
      type: "stored",
      hashes: fresh.map(asNumber),
      parent: hits === 0 ? undefined : asNumber(hashes[hits - 1] as string),
      tokens: prompt.tokens.slice(hits * size, hashes.length * size),
      blockSize: size,
      adapter: prompt.adapter,
      extra:
        prompt.cacheSalt === ""
          ? undefined
          : fresh.map((_, at) => (hits + at === 0 ? [prompt.cacheSalt] : undefined)),
      tier: "gpu",
      group: { index: 0, kind: "full_attention" },
    };
    const removed = [...this.#cached.keys()].slice(
      0,
      Math.max(0, this.#cached.size - this.#capacity),
    );
    for (const hash of removed) this.#cached.delete(hash);
    const removal: KvEvent = {
      type: "removed",
      hashes: removed.map(asNumber),
      tier: "gpu",
      groupIndex: 0,
    };
    return this.#publish(removed.length === 0 ? [stored] : [stored, removal]);
  }

  clear(): number {
    this.#cached.clear();
    return this.#publish([{ type: "cleared" }]);
  }

  #publish(events: readonly KvEvent[]): number {
    const sequence = this.#sequence++;
    this.history.push({ sequence, batch: { events, unknown: 0 } });
    if (this.history.length > this.#buffer) this.history.shift();
    return sequence;
  }

  #use(hash: string): void {
    this.#cached.delete(hash);
    this.#cached.set(hash, 1);
  }

  #hashes({ tokens, adapter, cacheSalt }: EnginePrompt): string[] {
    const size = this.#blockSize;
    const hashes: string[] = [];
    let before = `${adapter}\n${cacheSalt}`;
    for (let at = 0; at + size <= tokens.length; at += size) {
      before = createHash("sha1")
        .update(this.#seed)
        .update(before)
        .update(tokens.slice(at, at + size).join())
        .digest("hex");
      hashes.push(before);
    }
    return hashes;
  }
}

const asNumber = (hash: string): number => Number.parseInt(hash.slice(0, 13), 16);
