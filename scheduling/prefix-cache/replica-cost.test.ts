import { expect, it } from "vitest";
import { Popularity } from "./popularity.ts";
import { type ReplicaTerms, replicaCosts } from "./replica-cost.ts";

const terms = { requests: 40, most: 2 };

/** Prices after 10,000 prompts, for which `shares` contains the share of prompts with each key. */
function prices(
  shares: Readonly<Record<number, number>>,
  matched: readonly number[],
  of: ReplicaTerms = terms,
) {
  const popularity = new Popularity();
  for (let at = 0; at < 10_000; at += 1)
    popularity.add(
      Float64Array.from(
        Object.entries(shares).flatMap(([key, share]) => (at % 100 < 100 * share ? [+key] : [])),
      ),
    );
  return [
    ...replicaCosts(
      Float64Array.from(Object.keys(shares), Number),
      Float64Array.from(matched),
      popularity,
      of,
    ),
  ];
}

it("replicaCosts returns the highest price for blocks that no endpoint has", () => {
  expect(prices({ 1: 1, 2: 1 }, [0, 0])).toEqual([2, 2]);
});

it("replicaCosts divides the price of a copy among the requests with a prefix of all prompts", () => {
  const [own, ...others] = prices({ 1: 1, 2: 1 }, [2, 0, 0, 0]);
  expect(own).toBe(2);
  // A second copy counts double, and two copies serve the 40 requests of each of the four endpoints.
  for (const price of others) expect(price).toBeCloseTo(1 / ((2 * 40 * 4) / 2), 2);
});

it("replicaCosts returns at least the lowest price", () => {
  const least = 1 / 8;
  expect(prices({ 1: 1, 2: 1 }, [2, 0, 0, 0], { ...terms, least })).toEqual([
    2,
    least,
    least,
    least,
  ]);
});

it("replicaCosts returns the highest price for a rare prefix", () => {
  expect(prices({ 1: 0.01 }, [1, 0]).at(-1)).toBe(2);
});

it("replicaCosts returns a higher price for each copy that exists", () => {
  const priceOf = (...matched: number[]) => prices({ 1: 0.05 }, [...matched, 0]).at(-1) as number;
  const [first, second, third] = [priceOf(1, 0, 0), priceOf(1, 1, 0), priceOf(1, 1, 1)];
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
});

it("replicaCosts returns a much lower price for the second copy than for a further one", () => {
  const priceOf = (...matched: number[]) => prices({ 1: 0.05 }, [...matched, 0]).at(-1) as number;
  const [one, three] = [priceOf(1, 0, 0, 0, 0, 0), priceOf(1, 1, 1, 0, 0, 0)];
  // Two instead of four endpoints share the requests, and the requests have no other endpoint.
  expect(three / one).toBeCloseTo(2 * 2);
});

it("replicaCosts returns a lower price for shared instructions than for a conversation after them", () => {
  const [, short = 0, , none = 0] = prices({ 1: 1, 2: 0 }, [2, 1, 1, 0]);
  expect(short).toBe(2);
  expect(none).toBeCloseTo((1 / 160 + 2) / 2, 1);
});
