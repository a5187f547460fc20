import { LruSlots } from "../lru/lru-slots.ts";
import { SlotIndex } from "../lru/slot-index.ts";

/**
 * A set of numbers with a limited size, and the time of the last use of each. It evicts the least recently used number.
 *
 * It is kept in typed arrays, because a picker holds tens of thousands of keys for each of hundreds of servers: about
 * 28 bytes per key, and nothing for the garbage collector to traverse.
 */
export class LruSet {
  readonly #keys = new SlotIndex();
  readonly #slots: LruSlots;
  /** Time of the last use of each slot, in seconds after the first use: 32 bits are precise enough. */
  #usedAt = new Float32Array(1);
  #firstUse: number | undefined;

  constructor(capacity: number) {
    this.#slots = new LruSlots(capacity, (slots, used) => {
      this.#keys.grow(slots, used);
      const usedAt = new Float32Array(slots);
      usedAt.set(this.#usedAt);
      this.#usedAt = usedAt;
    });
  }

  get size(): number {
    return this.#slots.size;
  }

  get capacity(): number {
    return this.#slots.capacity;
  }

  set capacity(capacity: number) {
    this.#slots.setCapacity(capacity, (slot) => this.#forget(slot));
  }

  has(key: number): boolean {
    return this.#keys.find(key) !== 0;
  }

  /** Time of the last use of a key, in ms; undefined if the set does not have it. */
  usedAt(key: number): number | undefined {
    const slot = this.#keys.find(key);
    return slot === 0 ? undefined : this.#timeOf(slot);
  }

  /** Time of the last use of the least recently used key, in ms; undefined if the set is empty. */
  get oldestUse(): number | undefined {
    return this.size === 0 ? undefined : this.#timeOf(this.#slots.oldest);
  }

  #timeOf(slot: number): number {
    return (this.#firstUse ?? 0) + 1_000 * (this.#usedAt[slot] as number);
  }

  /**
   * Makes a key the most recent one, and adds it if necessary. Returns the evicted key, if any.
   *
   * @param now time in ms. Default 0, for sets whose times are not read
   */
  use(key: number, now = 0): number | undefined {
    const known = this.#keys.find(key);
    if (known !== 0) {
      this.#slots.touch(known);
      this.#usedAt[known] = (now - (this.#firstUse ?? now)) / 1_000;
      return undefined;
    }
    if (this.#slots.capacity < 1) return undefined;
    const { isFull, oldest } = this.#slots;
    const forgotten = isFull ? this.#keys.at(oldest) : undefined;
    if (isFull) this.#forget(oldest);
    const slot = this.#slots.take();
    this.#keys.add(slot, key);
    this.#firstUse ??= now;
    this.#usedAt[slot] = (now - this.#firstUse) / 1_000;
    return forgotten;
  }

  #forget(slot: number): void {
    this.#keys.remove(slot);
    this.#slots.giveBack(slot);
  }
}
