import { LruSlots } from "../lru/lru-slots.ts";
import { SlotIndex } from "../lru/slot-index.ts";
import { nextKey } from "./block-key.ts";

/**
 * Blocks of one engine, found by the engine's hash and by the index's key. Their number is limited: the least recently
 * used block is evicted first.
 *
 * They are kept in typed arrays: about 48 bytes per block, and nothing for the garbage collector to traverse.
 */
export class BlockTable {
  readonly #hashes: SlotIndex;
  readonly #keys = new SlotIndex();
  #tiers = new Uint8Array(0);
  readonly #slots: LruSlots;

  /** @param seed secret of this process: an engine chooses its hashes, and must not find hashes that share a bucket */
  constructor(capacity: number, seed = 0) {
    this.#hashes = new SlotIndex([oddOf(seed, 1), oddOf(seed, 2)]);
    this.#slots = new LruSlots(capacity, (slots, used) => {
      this.#hashes.grow(slots, used);
      this.#keys.grow(slots, used);
      const tiers = new Uint8Array(slots);
      tiers.set(this.#tiers);
      this.#tiers = tiers;
    });
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#hashes.bytes + this.#keys.bytes + this.#tiers.length + this.#slots.bytes;
  }

  get capacity(): number {
    return this.#slots.capacity;
  }

  set capacity(capacity: number) {
    this.#slots.setCapacity(capacity, (slot) => this.delete(slot));
  }

  /** Slot of the block with an engine's hash; 0 if there is none. */
  ofHash(hash: number): number {
    return this.#hashes.find(hash);
  }

  /** Slot of the block with a key; 0 if there is none. */
  ofKey(key: number): number {
    return this.#keys.find(key);
  }

  key(slot: number): number {
    return this.#keys.at(slot);
  }

  /** Bit mask of the tiers that have the block. */
  tiers(slot: number): number {
    return this.#tiers[slot] as number;
  }

  setTiers(slot: number, bits: number): void {
    this.#tiers[slot] = bits;
  }

  /**
   * Adds a new block as the most recent one, in no tier. Returns its slot; 0 if the table has no capacity. Removes a
   * block with the same key, because the engine has given it a new hash.
   */
  add(hash: number, key: number): number {
    if (this.#slots.capacity < 1) return 0;
    const same = this.#keys.find(key);
    if (same !== 0) this.delete(same);
    if (this.#slots.isFull) this.delete(this.#slots.oldest);
    const slot = this.#slots.take();
    this.#hashes.add(slot, hash);
    this.#keys.add(slot, key);
    this.#tiers[slot] = 0;
    return slot;
  }

  /** Makes a block the most recent one. */
  touch(slot: number): void {
    this.#slots.touch(slot);
  }

  delete(slot: number): void {
    this.#hashes.remove(slot);
    this.#keys.remove(slot);
    this.#slots.giveBack(slot);
  }

  /** Removes all blocks, and frees their memory. */
  clear(): void {
    this.#hashes.clear();
    this.#keys.clear();
    this.#tiers = new Uint8Array(0);
    this.#slots.clear();
  }
}

const oddOf = (seed: number, at: number): number => nextKey(seed, [], 0, 0, at) | 1;
