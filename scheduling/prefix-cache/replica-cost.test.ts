import { expect, it } from "vitest";
import { Popularity } from "./popularity.ts";
import { replicaCosts } from "./replica-cost.ts";

const terms = { requests: 40, most: 2, least: 1 / 16 };

/** Prices where of many prompts a share begins with each of the keys. */
function prices(shares: Readonly<Record<number, number>>, matched: readonly number[]) {
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
      terms,
    ),
  ];
}

it("asks the most where no endpoint has what one lacks", () => {
  expect(prices({ 1: 1, 2: 1 }, [0, 0])).toEqual([2, 2]);
});

it("asks the least for what all prompts begin with, however many endpoints have it", () => {
  expect(prices({ 1: 1, 2: 1 }, [2, 0, 0, 0])).toEqual([2, 1 / 16, 1 / 16, 1 / 16]);
  expect(prices({ 1: 1, 2: 1 }, [2, 2, 2, 0]).at(-1)).toBe(1 / 16);
});

it("asks the most for what hardly a prompt begins with", () => {
  expect(prices({ 1: 0.01 }, [1, 0]).at(-1)).toBe(2);
});

it("asks more for each copy that there is", () => {
  const priceOf = (...matched: number[]) => prices({ 1: 0.05 }, [...matched, 0]).at(-1) as number;
  const [first, second, third] = [priceOf(1, 0, 0), priceOf(1, 1, 0), priceOf(1, 1, 1)];
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
});

it("asks much less for the second endpoint that has it than for one beyond a few", () => {
  const priceOf = (...matched: number[]) => prices({ 1: 0.05 }, [...matched, 0]).at(-1) as number;
  const [one, three] = [priceOf(1, 0, 0, 0, 0, 0), priceOf(1, 1, 1, 0, 0, 0)];
  // The requests are divided among two instead of four, and these have nowhere else to go.
  expect(three / one).toBeCloseTo(2 * 2);
});

it("asks less for the instructions that all share than for a conversation behind them", () => {
  const [, short = 0, , none = 0] = prices({ 1: 1, 2: 0 }, [2, 1, 1, 0]);
  expect(short).toBe(2);
  expect(none).toBeCloseTo((1 / 16 + 2) / 2);
});
