import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LruSet } from "./lru-set.ts";

/** Reference model in the simplest form: a Set keeps its keys in order of insertion. */
class Model {
  capacity: number;
  readonly keys = new Set<number>();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  use(key: number) {
    this.keys.delete(key);
    this.keys.add(key);
    const forgotten = this.trim();
    return this.capacity === 0 ? undefined : forgotten;
  }

  trim() {
    let last: number | undefined;
    for (const key of this.keys) {
      if (this.keys.size <= this.capacity) return last;
      this.keys.delete(key);
      last = key;
    }
    return last;
  }
}

describe("LruSet", () => {
  it("evicts the least recently used key", () => {
    const set = new LruSet(2);
    set.use(1);
    set.use(2);
    set.use(1);
    set.use(3);
    expect([1, 2, 3].map((key) => set.has(key))).toEqual([true, false, true]);
  });

  it("does not count `has` as a use", () => {
    const set = new LruSet(2);
    set.use(1);
    set.use(2);
    set.has(1);
    set.use(3);
    expect(set.has(1)).toBe(false);
  });

  it("holds nothing without capacity", () => {
    const set = new LruSet(0);
    set.use(1);
    expect([set.size, set.has(1)]).toEqual([0, false]);
  });

  it("distinguishes keys that differ beyond 32 bits", () => {
    const set = new LruSet(10);
    set.use(7);
    expect(set.has(7 + 2 ** 32)).toBe(false);
    set.use(7 + 2 ** 32);
    set.use(7 + 2 ** 45);
    expect(set.size).toBe(3);
  });

  const action = fc.oneof(
    { weight: 20, arbitrary: fc.record({ use: fc.nat(60) }) },
    // Keys that share a bucket.
    { weight: 10, arbitrary: fc.record({ use: fc.nat(10).map((high) => high * 2 ** 32) }) },
    { weight: 1, arbitrary: fc.record({ capacity: fc.nat(40) }) },
  );

  it("behaves like the reference model, and never exceeds its capacity", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.array(action, { maxLength: 300 }), (capacity, actions) => {
        const set = new LruSet(capacity);
        const model = new Model(capacity);
        for (const each of actions) {
          if ("use" in each) {
            expect(set.use(each.use)).toBe(model.use(each.use));
          } else {
            set.capacity = each.capacity;
            model.capacity = each.capacity;
            model.trim();
          }
          expect(set.size).toBe(model.keys.size);
          expect(set.size).toBeLessThanOrEqual(set.capacity);
        }
        for (let key = 0; key <= 60; key += 1) expect(set.has(key)).toBe(model.keys.has(key));
        for (let high = 0; high <= 10; high += 1)
          expect(set.has(high * 2 ** 32)).toBe(model.keys.has(high * 2 ** 32));
      }),
    );
  });

  it("grows to tens of thousands of keys", () => {
    const set = new LruSet(31250);
    for (let key = 0; key < 100_000; key += 1) set.use(key);
    expect(set.size).toBe(31250);
    expect([68_749, 68_750, 99_999].map((key) => set.has(key))).toEqual([false, true, true]);
  });
});
