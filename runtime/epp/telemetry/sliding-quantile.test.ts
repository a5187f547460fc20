import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlidingQuantile } from "./sliding-quantile.ts";

const window = 1_000;
/** The window drops its oldest tenth as a whole. */
const tenth = window / 10;

/** Returns the exact quantile of the values in the window, by sorting. */
function exact(
  values: ReadonlyArray<readonly [value: number, at: number]>,
  share: number,
  now: number,
) {
  const oldest = (Math.floor(now / tenth) - 9) * tenth;
  const kept = values.filter(([, at]) => at >= oldest).map(([value]) => value);
  kept.sort((a, b) => a - b);
  return kept[Math.ceil(share * kept.length) - 1];
}

describe("SlidingQuantile", () => {
  it("a quantile is within 2 % of the exact one", () => {
    const values = fc.array(
      fc.tuple(fc.double({ min: 1e-4, max: 1e3, noNaN: true }), fc.nat({ max: 700 })),
      { minLength: 1, maxLength: 300 },
    );
    fc.assert(
      fc.property(values, fc.constantFrom(0.01, 0.5, 0.95, 1), (given, share) => {
        const quantile = new SlidingQuantile(window);
        let now = 0;
        const seen = given.map(([value, after]): [number, number] => {
          now += given.length > 50 ? after % 20 : after;
          quantile.observe(value, now);
          return [value, now];
        });
        const expected = exact(seen, share, now) as number;
        const told = quantile.quantile(share, now) as number;
        expect(Math.abs(told / expected - 1)).toBeLessThan(0.0201);
        const oldest = (Math.floor(now / tenth) - 9) * tenth;
        expect(quantile.count(now)).toBe(seen.filter(([, at]) => at >= oldest).length);
      }),
    );
  });

  it("a quantile is undefined before the first value and after a window without values", () => {
    const quantile = new SlidingQuantile(window);
    expect([quantile.quantile(0.95, 0), quantile.count(0)]).toEqual([undefined, 0]);
    quantile.observe(0.05, 123_456_789);
    expect(quantile.count(123_456_789)).toBe(1);
    expect(quantile.count(123_456_789 + window - tenth)).toBe(1);
    expect(quantile.count(123_456_789 + window)).toBe(0);
    expect(quantile.quantile(0.95, 123_456_789 + window)).toBeUndefined();
  });

  it("a quantile drops values that are older than the window", () => {
    const quantile = new SlidingQuantile(window);
    for (let n = 0; n < 100; n += 1) quantile.observe(9, 0);
    for (let n = 0; n < 10; n += 1) quantile.observe(0.05, 500);
    expect(quantile.quantile(0.95, 500)).toBeCloseTo(9, 0);
    expect(quantile.quantile(0.95, window)).toBeCloseTo(0.05, 2);
  });

  it.each([
    [0, 1e-4],
    [1e-9, 1e-4],
    [1e9, 1e3],
    [Number.POSITIVE_INFINITY, 1e3],
  ])("the value %d counts as %d", (value, bound) => {
    const quantile = new SlidingQuantile(window);
    quantile.observe(value, 0);
    expect((quantile.quantile(0.95, 0) as number) / bound).toBeCloseTo(1, 1);
  });
});
