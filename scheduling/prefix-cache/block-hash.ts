/**
 * Keys of a prompt's blocks. Each key identifies all text up to the end of its block. The keys never leave the process,
 * so any hash that is fast and spreads well is sufficient. This one has two lanes of 32 bits over words of four bytes,
 * and 53 of these 64 bits form a key that is a plain number.
 */

const prime1 = 0x9e3779b1 | 0;
const prime2 = 0x85ebca77 | 0;

/** Computes the keys of a chain of blocks, one after another. */
export class BlockHasher {
  #a = 0x2545f491;
  #b = 0x6c078965;

  /** @param seeds strings that separate chains: model, cache salt and owner */
  constructor(...seeds: readonly string[]) {
    for (const seed of seeds) {
      for (let at = 0; at < seed.length; at += 1) this.#mix(seed.charCodeAt(at));
      this.#mix(seed.length);
    }
  }

  /** Hashes the words from `start` to `end`, and returns the key of the chain up to there. */
  block(words: Int32Array, start: number, end: number): number {
    let a = this.#a;
    let b = this.#b;
    for (let at = start; at < end; at += 1) {
      const word = words[at] as number;
      a = Math.imul(a ^ word, prime1);
      a ^= a >>> 15;
      b = Math.imul(b + word, prime2);
      b ^= b >>> 13;
    }
    this.#a = a;
    this.#b = b;
    this.#mix(end - start);
    return (this.#a >>> 0) * 2 ** 21 + (this.#b >>> 11);
  }

  #mix(value: number): void {
    const a = Math.imul(this.#a ^ value, prime2);
    const b = Math.imul(this.#b + value, prime1);
    this.#a = a ^ (b >>> 16);
    this.#b = b ^ (a >>> 16);
  }
}
