import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockHasher } from "./block-hash.ts";

/** Keys of a chain of blocks of four words. */
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

describe("keys of a chain", () => {
  it("keys of a chain are whole numbers below 2^53, the same for the same", () => {
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

  it("keys of a chain stand for all words before them, and for none after", () => {
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

  it("keys of a chain differ by seeds, by where they end and by length", () => {
    const keys = [
      ...[["m"], ["n"], ["m", ""], ["", "m"], ["ms"], ["m", "s"]].map(
        (seeds) => chain([1, 2, 3, 4], ...seeds)[0],
      ),
      chain([1, 2, 3], "m")[0],
      chain([1, 2, 3, 0], "m")[0],
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("spread over the low bits that choose a bucket", () => {
    const low = new Set<number>();
    for (let word = 0; word < 4096; word += 1) low.add((chain([word], "m")[0] as number) & 4095);
    // By chance 1 - 1/e of the buckets are taken.
    expect(low.size / 4096).toBeGreaterThan(0.6);
  });
});
