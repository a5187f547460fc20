/**
 * Finds slots by a number that each has. It is kept in typed arrays, 12 bytes a slot and its part of the buckets, with
 * nothing for the garbage collector to walk. Slots are numbered from 1; slot 0 ends the chain of a bucket.
 */
export class SlotIndex {
  #numbers = new Float64Array(0);
  #next = new Int32Array(1);
  #first = new Int32Array(1);
  readonly #low: number;
  readonly #high: number;

  /**
   * @param secret odd numbers by which buckets are chosen, where somebody else chooses the numbers and could have all fall into one.
   * Without it by their low bits, which must be mixed well
   */
  constructor([low, high]: readonly [low: number, high: number] = [0, 0]) {
    this.#low = low;
    this.#high = high;
  }

  /** Bytes that it takes. */
  get bytes(): number {
    return 12 * this.#numbers.length + 4 * this.#first.length;
  }

  /** The slot that has a number; 0 where none has. */
  find(number: number): number {
    let slot = this.#first[this.#bucket(number)] as number;
    while (slot !== 0 && this.#numbers[slot] !== number) slot = this.#next[slot] as number;
    return slot;
  }

  /** The number of a slot. */
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

  /** Makes room for slots below a number, where all up to `used` have numbers. */
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

  /** With a secret the top bits of a product with it (Dietzfelbinger, multiply-shift hashing, 1997). */
  #bucket(number: number): number {
    const mask = this.#first.length - 1;
    if (this.#low === 0) return (number | 0) & mask;
    const product = Math.imul(number | 0, this.#low) + Math.imul(number / 2 ** 32, this.#high);
    return (product >>> Math.clz32(mask)) & mask;
  }
}
