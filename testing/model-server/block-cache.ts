import { hash } from "node:crypto";

/**
 * The KV cache of an engine, in blocks, as vLLM has it. A block is in use while a sequence holds it. A whole block of text
 * stays behind when its sequences ended, under the key of all text up to its end, until its room is needed: the one that
 * was not used longest goes first, and of one sequence the last block before the first.
 */
export class BlockCache {
  readonly #capacity: number;
  readonly #onRemoved: (key: string) => void;
  /** How many sequences hold a keyed block. */
  readonly #held = new Map<string, number>();
  /** Keyed blocks that no sequence holds, the least recently used first. */
  readonly #idle = new Set<string>();
  /** Blocks in use that have no key: not yet computed, not full, or the same as another. */
  #unkeyed = 0;

  /**
   * @param capacity blocks that it holds
   * @param onRemoved is called with the key of each evicted block
   */
  constructor(capacity: number, onRemoved: (key: string) => void = () => {}) {
    this.#capacity = capacity;
    this.#onRemoved = onRemoved;
  }

  /** Blocks in use. */
  get used(): number {
    return this.#held.size + this.#unkeyed;
  }

  /** How many of the first of these blocks are there. */
  hits(keys: readonly string[]): number {
    const missing = keys.findIndex((key) => !this.#held.has(key) && !this.#idle.has(key));
    return missing < 0 ? keys.length : missing;
  }

  /**
   * Allocates `blocks` blocks for a sequence; the first ones may be cached. Returns undefined if too few are free.
   *
   * @param keys of the blocks that are read, if they are there
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

  /** A block of the sequence is full and computed: others may read it from now on. Returns whether it was not there. */
  publish(allocation: Allocation, key: string): boolean {
    if (allocation.unkeyed === 0 || this.#held.has(key) || this.#idle.has(key)) return false;
    allocation.unkeyed -= 1;
    this.#unkeyed -= 1;
    allocation.keys.push(key);
    this.#held.set(key, 1);
    return true;
  }

  /** The sequence ended. */
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

/** The blocks of one sequence. */
export interface Allocation {
  /** Those that others may read, in order. */
  readonly keys: string[];
  unkeyed: number;
}

/** The text whose keys were asked for last: engines are asked for the same one after another. */
let latest = { model: "", text: "", blockChars: 0, keys: [] as readonly string[] };

/** A key for each whole block of `blockChars` characters, by all text up to its end and the model. */
export function blockKeys(model: string, text: string, blockChars: number): readonly string[] {
  if (model !== latest.model || text !== latest.text || blockChars !== latest.blockChars)
    latest = { model, text, blockChars, keys: computedKeys(model, text, blockChars) };
  return latest.keys;
}

function computedKeys(model: string, text: string, blockChars: number): string[] {
  const keys: string[] = [];
  const pageChars = blocksPerPage * blockChars;
  for (let at = 0; at + blockChars <= text.length; at += pageChars)
    keys.push(...pageKeys(keys.at(-1) ?? model, text.slice(at, at + pageChars), blockChars));
  return keys;
}

/** Keys of 16 blocks in a row, the least recently used first: many prompts share a prefix, and prompts are sent again. */
const pages = new Map<string, readonly string[]>();
const blocksPerPage = 16;
const mostPages = 32_768;

/** Returns the keys of the whole blocks in `text`, which follow the block with the key `before`. */
function pageKeys(before: string, text: string, blockChars: number): readonly string[] {
  const page = `${blockChars}\0${before}\0${text}`;
  const keys = pages.get(page) ?? hashes(before, text, blockChars);
  pages.delete(page);
  pages.set(page, keys);
  if (pages.size > mostPages) pages.delete(pages.keys().next().value ?? "");
  return keys;
}

function hashes(before: string, text: string, blockChars: number): string[] {
  const keys: string[] = [];
  let key = before;
  for (let at = 0; at + blockChars <= text.length; at += blockChars) {
    key = hash("sha1", `${key}\0${text.slice(at, at + blockChars)}`, "base64");
    keys.push(key);
  }
  return keys;
}
