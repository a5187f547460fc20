import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockHasher } from "./block-hash.ts";

/** Keys of a chain with blocks of four words. */
function chain(words: readonly number[], ...seeds: string[]): number[] {
  const laid = Int32Array.from(words);
  const hasher = new BlockHasher(...seeds);
  const keys: number[] = [];
  for (let start = 0; start < laid.length; start += 4)
    keys.push(hasher.block(laid, start, Math.min(start + 4, laid.length)));
  return keys;
}

const words = fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), {
  minLength: 1,
  maxLength: 16,
});

describe("BlockHasher", () => {
  it("returns whole numbers below 2^53, and the same keys for the same words", () => {
    fc.assert(
      fc.property(words, (given) => {
        const keys = chain(given, "m");
        for (const key of keys) {
          expect(Number.isSafeInteger(key)).toBe(true);
          expect(key).toBeGreaterThanOrEqual(0);
        }
        expect(chain(given, "m")).toEqual(keys);
      }),
    );
  });

  it("returns keys that depend on all words up to the end of their block, and on none after it", () => {
    fc.assert(
      fc.property(words, fc.nat(15), fc.integer({ min: 1, max: 2 ** 31 - 1 }), (given, at, by) => {
        fc.pre(at < given.length);
        const changed = given.map((word, index) => (index === at ? word ^ by : word));
        const [before, then] = [chain(given, "m"), chain(changed, "m")];
        const block = Math.floor(at / 4);
        before.forEach((key, index) => {
          expect(then[index] === key).toBe(index < block);
        });
      }),
    );
  });

  it("returns different keys for different seeds, block ends and lengths", () => {
    const keys = [
      ...[["m"], ["n"], ["m", ""], ["", "m"], ["ms"], ["m", "s"]].map(
        (seeds) => chain([1, 2, 3, 4], ...seeds)[0],
      ),
      chain([1, 2, 3], "m")[0],
      chain([1, 2, 3, 0], "m")[0],
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("spreads keys over the low bits that select a bucket", () => {
    const low = new Set<number>();
    for (let word = 0; word < 4096; word += 1) low.add((chain([word], "m")[0] as number) & 4095);
    // By chance 1 - 1/e of the buckets are used.
    expect(low.size / 4096).toBeGreaterThan(0.6);
  });
});
