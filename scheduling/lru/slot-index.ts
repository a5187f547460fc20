/**
 * Finds slots by a number that each slot has. The index is kept in typed arrays: 12 bytes per slot plus its share of
 * the buckets, and nothing for the garbage collector to traverse. Slots are numbered from 1. Slot 0 ends the chain of a
 * bucket.
 */
export class SlotIndex {
  #numbers = new Float64Array(0);
  #next = new Int32Array(1);
  #first = new Int32Array(1);
  readonly #low: number;
  readonly #high: number;

  /**
   * @param secret odd numbers that select the bucket of a number, for numbers that another party chooses and could put
   * into one bucket. Default: the low bits select the bucket, so they must be well mixed
   */
  constructor([low, high]: readonly [low: number, high: number] = [0, 0]) {
    this.#low = low;
    this.#high = high;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return 12 * this.#numbers.length + 4 * this.#first.length;
  }

  /** Slot with a number; 0 if there is none. */
  find(number: number): number {
    let slot = this.#first[this.#bucket(number)] as number;
    while (slot !== 0 && this.#numbers[slot] !== number) slot = this.#next[slot] as number;
    return slot;
  }

  at(slot: number): number {
    return this.#numbers[slot] as number;
  }

  add(slot: number, number: number): void {
    this.#numbers[slot] = number;
    this.#chain(slot);
  }

  remove(slot: number): void {
    const bucket = this.#bucket(this.#numbers[slot] as number);
    const next = this.#next[slot] as number;
    if (this.#first[bucket] === slot) {
      this.#first[bucket] = next;
      return;
    }
    let before = this.#first[bucket] as number;
    while (this.#next[before] !== slot) before = this.#next[before] as number;
    this.#next[before] = next;
  }

  /** Adds memory for slots below `slots`. Slots 1 to `used` have numbers. */
  grow(slots: number, used: number): void {
    const numbers = new Float64Array(slots);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    this.#next = new Int32Array(slots);
    this.#first = new Int32Array(2 ** Math.ceil(Math.log2(slots)));
    for (let slot = 1; slot <= used; slot += 1) this.#chain(slot);
  }

  clear(): void {
    this.#numbers = new Float64Array(0);
    this.#next = new Int32Array(1);
    this.#first = new Int32Array(1);
  }

  #chain(slot: number): void {
    const bucket = this.#bucket(this.#numbers[slot] as number);
    this.#next[slot] = this.#first[bucket] as number;
    this.#first[bucket] = slot;
  }

  /** With a secret: the top bits of a product with it (Dietzfelbinger, multiply-shift hashing, 1997). */
  #bucket(number: number): number {
    const mask = this.#first.length - 1;
    if (this.#low === 0) return (number | 0) & mask;
    const product = Math.imul(number | 0, this.#low) + Math.imul(number / 2 ** 32, this.#high);
    return (product >>> Math.clz32(mask)) & mask;
  }
}
