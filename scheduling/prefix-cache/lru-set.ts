import { LruSlots } from "../lru/lru-slots.ts";
import { SlotIndex } from "../lru/slot-index.ts";

/**
 * A set of numbers with a limited size. It evicts the least recently used number.
 *
 * It is kept in typed arrays, because a picker holds tens of thousands of keys for each of hundreds of servers: about
 * 24 bytes per key, and nothing for the garbage collector to traverse.
 */
export class LruSet {
  readonly #keys = new SlotIndex();
  readonly #slots: LruSlots;

  constructor(capacity: number) {
    this.#slots = new LruSlots(capacity, (slots, used) => this.#keys.grow(slots, used));
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

  /** Makes a key the most recent one, and adds it if necessary. Returns the evicted key, if any. */
  use(key: number): number | undefined {
    const known = this.#keys.find(key);
    if (known !== 0) {
      this.#slots.touch(known);
      return undefined;
    }
    if (this.#slots.capacity < 1) return undefined;
    const { isFull, oldest } = this.#slots;
    const forgotten = isFull ? this.#keys.at(oldest) : undefined;
    if (isFull) this.#forget(oldest);
    this.#keys.add(this.#slots.take(), key);
    return forgotten;
  }

  #forget(slot: number): void {
    this.#keys.remove(slot);
    this.#slots.giveBack(slot);
  }
}
