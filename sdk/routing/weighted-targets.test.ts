import fc from "fast-check";
import { expect, it } from "vitest";
import { targets } from "./objects.fixture.ts";
import { drawTarget, eligibleTargets } from "./weighted-targets.ts";

const weighted = (...weights: Array<number | undefined>) =>
  targets(...weights.map((weight, at): [string, number?] => [`t${at}`, weight]));

it.each([
  [weighted(), []],
  [weighted(undefined, undefined), ["t0", "t1"]],
  [weighted(1, 0), ["t0"]],
  [weighted(undefined, 5), ["t1"]],
  [weighted(0, undefined), []],
])("the eligible targets of %j are %j", (given, expected) => {
  expect(eligibleTargets(given).map(({ model }) => model)).toEqual(expected);
});

it.each([
  [weighted(10, 90), 0, "t0"],
  [weighted(10, 90), 0.0999, "t0"],
  [weighted(10, 90), 0.1, "t1"],
  [weighted(10, 90), 0.9999999, "t1"],
  [weighted(undefined, undefined, undefined, undefined), 0.5, "t2"],
  [weighted(1_000_000, 1_000_000), 0.5, "t1"],
])("a draw from %j at %f gives %s", (given, chance, expected) => {
  expect(drawTarget(given, chance)).toBe(expected);
});

it("each target gets its share of the interval from 0 to 1", () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1_000_000 }), {
    minLength: 1,
    maxLength: 3_000,
  });
  fc.assert(
    fc.property(
      weights,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (list, chance) => {
        const at = Number(drawTarget(weighted(...list), chance).slice(1));
        const total = list.reduce((sum, weight) => sum + weight, 0);
        const before = list.slice(0, at).reduce((sum, weight) => sum + weight, 0);
        expect(chance * total).toBeGreaterThanOrEqual(before - 1e-6);
        expect(chance * total).toBeLessThanOrEqual(before + (list[at] as number) + 1e-6);
      },
    ),
  );
});
