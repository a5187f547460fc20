/**
 * A limited number of slots in their order of use. They are numbered from 1. Slot 0 is the head of the list: its older
 * neighbour is the newest slot, and its newer neighbour is the oldest one.
 */
export class LruSlots {
  #capacity: number;
  #size = 0;
  /** First free slot. Free slots are chained by `older`. */
  #free = 0;
  /** Number of slots that were ever taken. */
  #used = 0;
  #older = new Int32Array(1);
  #newer = new Int32Array(1);
  readonly #grown: (slots: number, used: number) => void;

  /**
   * @param grown called when memory grows: `slots` is one more than the highest slot, and slots 1 to `used` are taken
   */
  constructor(capacity: number, grown: (slots: number, used: number) => void) {
    this.#capacity = capacity;
    this.#grown = grown;
  }

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return 8 * this.#older.length;
  }

  /** Sets the highest number of slots, and gives back the oldest slots beyond it. */
  setCapacity(capacity: number, giveBack: (slot: number) => void): void {
    this.#capacity = capacity;
    while (this.#size > capacity) giveBack(this.oldest);
  }

  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** The least recently used slot; 0 if there is none. */
  get oldest(): number {
    return this.#newer[0] as number;
  }

  /** Takes a free slot as the most recent one. The list must not be full. */
  take(): number {
    const slot = this.#free || this.#added();
    if (slot === this.#free) this.#free = this.#older[slot] as number;
    this.#size += 1;
    this.#link(slot);
    return slot;
  }

  /** Makes a slot the most recent one. */
  touch(slot: number): void {
    this.#unlink(slot);
    this.#link(slot);
  }

  giveBack(slot: number): void {
    this.#unlink(slot);
    this.#older[slot] = this.#free;
    this.#free = slot;
    this.#size -= 1;
  }

  clear(): void {
    this.#size = this.#free = this.#used = 0;
    this.#older = new Int32Array(1);
    this.#newer = new Int32Array(1);
  }

  #added(): number {
    const { length } = this.#older;
    if (this.#used + 1 >= length) {
      // All slots up to `used` are taken, because free slots are reused first.
      const slots = Math.min(Math.max(64, 2 * length), this.#capacity + 1);
      this.#older = wider(this.#older, slots);
      this.#newer = wider(this.#newer, slots);
      this.#grown(slots, this.#used);
    }
    this.#used += 1;
    return this.#used;
  }

  #unlink(slot: number): void {
    const older = this.#older[slot] as number;
    const newer = this.#newer[slot] as number;
    this.#newer[older] = newer;
    this.#older[newer] = older;
  }

  #link(slot: number): void {
    const newest = this.#older[0] as number;
    this.#older[slot] = newest;
    this.#newer[slot] = 0;
    this.#newer[newest] = slot;
    this.#older[0] = slot;
  }
}

function wider(values: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length);
  copy.set(values);
  return copy;
}
