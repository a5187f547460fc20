/**
 * Keys of blocks, from the tokens up to the end of each block. Engines hash blocks in different ways and with secret
 * seeds. The index therefore computes its own keys, both from the tokens in an engine's events and from the tokens of a
 * request. A key is a plain number of 53 bits and never leaves the process.
 */

const prime1 = 0x9e3779b1 | 0;
const prime2 = 0x85ebca77 | 0;

/** Key before the first block of every sequence with one adapter. */
export const rootKey = (seed: number, adapter: string): number => textKey(seed, adapter);

/** Returns a number for a list of strings. The boundaries between the strings count. */
export function textKey(seed: number, ...texts: readonly string[]): number {
  let key = seed;
  for (const text of texts) {
    const codes = new Uint16Array(text.length);
    for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at);
    key = nextKey(key, codes, 0, codes.length, 0);
  }
  return key;
}

/**
 * Key of the block with the tokens from `start` to `end`, which follows another block.
 *
 * @param extra number for the parts of the block's hash besides the tokens; 0 if there are none
 */
export function nextKey(
  parent: number,
  tokens: ArrayLike<number>,
  start: number,
  end: number,
  extra: number,
): number {
  let a = (parent / 2 ** 21) ^ 0x2545f491;
  let b = parent ^ 0x6c078965;
  for (let at = start; at < end; at += 1) {
    const token = tokens[at] as number;
    a = Math.imul(a ^ token, prime1);
    a ^= a >>> 15;
    b = Math.imul(b + token, prime2);
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (end - start) ^ extra, prime2);
  b = Math.imul(b + extra / 2 ** 21, prime1);
  a ^= a >>> 16;
  b ^= a ^ (b >>> 15);
  a = Math.imul(a ^ b, prime1);
  b ^= a >>> 14;
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
}
