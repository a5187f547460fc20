import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../../../testing/samples/seeded.ts";
import { cycleOf, endpointsOf, pluginOf, podsOf, scored } from "../../cycles.fixture.ts";

const endpoints = endpointsOf("a", "b", "c", "d", "e", "f");

const picks = (type: string, scores: readonly number[], count: number, random: () => number) =>
  picker(type, scores, count)(random);

/** Returns a function that draws repeatedly from one picker, as a scheduler does. */
function picker(type: string, scores: readonly number[], count: number) {
  const { picker } = pluginOf(type, { maxNumOfEndpoints: count });
  const candidates = endpoints.slice(0, scores.length);
  return (random: () => number) =>
    podsOf(picker?.pick(cycleOf(endpoints, { random }), scored(candidates, scores)) ?? []);
}

/** Returns the share of draws in which each pod is first. */
function shares(type: string, scores: readonly number[], draws = 20_000) {
  const random = seeded(1);
  const draw = picker(type, scores, 1);
  const counts = new Map(podsOf(endpoints.slice(0, scores.length)).map((pod) => [pod, 0]));
  for (let at = 0; at < draws; at += 1) {
    const [first = ""] = draw(random);
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return [...counts.values()].map((count) => count / draws);
}

const near = (expected: readonly number[]) =>
  expected.map((share) => expect.closeTo(share, share === 0 ? 10 : 1.5));

describe("max-score-picker", () => {
  it.each([
    [[1, 3, 2], 1, ["b"]],
    [[1, 3, 2], 2, ["b", "c"]],
    [[1, 3, 2], 9, ["b", "c", "a"]],
    [[0, 0, 5], 1, ["c"]],
    [[7], 1, ["a"]],
  ])("selects from scores %j the %i best: %j", (scores, count, expected) => {
    expect(picks("max-score-picker", scores, count, seeded(7))).toEqual(expected);
  });

  it.each([[1], [2]])("selects among equal scores with equal probability, %i to pick", (count) => {
    const random = seeded(3);
    const draw = picker("max-score-picker", [5, 1, 5, 5], count);
    const firsts = new Map<string, number>();
    for (let at = 0; at < 9000; at += 1) {
      const [first = ""] = draw(random);
      firsts.set(first, (firsts.get(first) ?? 0) + 1);
    }
    expect([...firsts.keys()].sort()).toEqual(["a", "c", "d"]);
    for (const times of firsts.values()) expect(times / 9000).toBeCloseTo(1 / 3, 1);
  });
});

describe("random-picker", () => {
  it("ignores scores", () => {
    expect(shares("random-picker", [0, 100, 3, 0])).toEqual(near([0.25, 0.25, 0.25, 0.25]));
  });
});

describe("weighted-random-picker", () => {
  it.each([
    [
      [1, 1],
      [0.5, 0.5],
    ],
    [
      [1, 3],
      [0.25, 0.75],
    ],
    [
      [10, 30, 60],
      [0.1, 0.3, 0.6],
    ],
    [
      [1, 0, 1],
      [0.5, 0, 0.5],
    ],
    [
      [0, 0],
      [0.5, 0.5],
    ],
  ])("selects by scores %j with shares %j", (scores, expected) => {
    expect(shares("weighted-random-picker", scores)).toEqual(near(expected));
  });

  it("never prefers an endpoint with score 0, however low the other scores are", () => {
    expect(shares("weighted-random-picker", [0, 1e-6, 0, 3e-6], 4000)).toEqual(
      near([0, 0.25, 0, 0.75]),
    );
  });

  it("selects endpoints with score 0 last", () => {
    expect(picks("weighted-random-picker", [0, 2, 1], 3, seeded(5)).at(-1)).toBe("a");
  });
});

describe.each(["max-score-picker", "random-picker", "weighted-random-picker"])("%s", (type) => {
  const cases = fc.tuple(
    fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 1, max: 8 }),
    fc.integer(),
  );

  it("picks the requested number of distinct candidates, and the same ones for the same random numbers", () => {
    fc.assert(
      fc.property(cases, ([scores, count, seed]) => {
        const found = picks(type, scores, count, seeded(seed));
        expect(found).toHaveLength(Math.min(count, scores.length));
        expect(new Set(found).size).toBe(found.length);
        const candidates = podsOf(endpoints.slice(0, scores.length));
        for (const pod of found) expect(candidates).toContain(pod);
        expect(picks(type, scores, count, seeded(seed))).toEqual(found);
      }),
    );
  });

  it("picks one by default, and refuses maxNumOfEndpoints 0", () => {
    const { picker } = pluginOf(type);
    expect(picker?.pick(cycleOf(endpoints), scored(endpoints, [1, 2]))).toHaveLength(1);
    expect(() => pluginOf(type, { maxNumOfEndpoints: 0 })).toThrow(">=1");
  });
});
