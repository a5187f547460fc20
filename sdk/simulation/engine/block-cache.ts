/**
 * The KV cache of an engine in blocks, with the rules of vLLM. A sequence holds the blocks that it uses. When a sequence
 * ends, its whole blocks stay cached; the key of a block is a hash of all tokens up to its end. A new block evicts the
 * least recently used one that no sequence holds, and the last block of a sequence before its first.
 */
export class BlockCache {
  readonly #capacity: number;
  readonly #onRemoved: (key: string) => void;
  /** Number of sequences that hold a block, by key. */
  readonly #held = new Map<string, number>();
  /** Keys of the blocks that no sequence holds, the least recently used first. */
  readonly #idle = new Set<string>();
  /** Blocks in use without a key: not computed yet, not full, or equal to another block. */
  #unkeyed = 0;

  /**
   * @param capacity number of blocks
   * @param onRemoved called with the key of each evicted block
   */
  constructor(capacity: number, onRemoved: (key: string) => void = () => {}) {
    this.#capacity = capacity;
    this.#onRemoved = onRemoved;
  }

  /** Number of blocks that sequences hold. */
  get used(): number {
    return this.#held.size + this.#unkeyed;
  }

  /** Returns how many blocks of this sequence are cached, from its first one on. */
  hits(keys: readonly string[]): number {
    const missing = keys.findIndex((key) => !this.#held.has(key) && !this.#idle.has(key));
    return missing < 0 ? keys.length : missing;
  }

  /**
   * Allocates blocks for a sequence. Its first blocks may be cached. Returns undefined if too few blocks are free.
   *
   * @param keys keys of the blocks that the sequence reads if they are cached
   * @param blocks number of blocks that the sequence needs
   */
  allocate(keys: readonly string[], blocks: number): Allocation | undefined {
    const found = keys.slice(0, this.hits(keys));
    const idle = found.filter((key) => this.#idle.has(key)).length;
    const fresh = Math.max(0, blocks - found.length);
    if (this.used + idle + fresh > this.#capacity) return undefined;
    for (const key of found) this.#hold(key);
    this.#unkeyed += fresh;
    this.#evict();
    return { keys: found, unkeyed: fresh };
  }

  /** Lets other sequences read a computed block. Returns whether the block was not cached before. */
  publish(allocation: Allocation, key: string): boolean {
    if (allocation.unkeyed === 0 || this.#held.has(key) || this.#idle.has(key)) return false;
    allocation.unkeyed -= 1;
    this.#unkeyed -= 1;
    allocation.keys.push(key);
    this.#held.set(key, 1);
    return true;
  }

  /** Frees the blocks of a sequence that has ended. */
  release({ keys, unkeyed }: Allocation): void {
    this.#unkeyed -= unkeyed;
    for (const key of keys.toReversed()) {
      const holders = (this.#held.get(key) ?? 1) - 1;
      if (holders > 0) this.#held.set(key, holders);
      else {
        this.#held.delete(key);
        this.#idle.add(key);
      }
    }
  }

  #hold(key: string): void {
    this.#idle.delete(key);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  #evict(): void {
    for (const key of this.#idle) {
      if (this.used + this.#idle.size <= this.#capacity) return;
      this.#idle.delete(key);
      this.#onRemoved(key);
    }
  }
}

/** Blocks of one sequence. */
export interface Allocation {
  /** Keys of the blocks that other sequences may read, in order. */
  readonly keys: string[];
  /** Number of its other blocks. */
  unkeyed: number;
}
