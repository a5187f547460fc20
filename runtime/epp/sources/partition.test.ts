import fc from "fast-check";
import { expect, it } from "vitest";
import { poolsBySelector } from "./matching-pools.ts";
import { Partition } from "./partition.ts";

const label = fc.constantFrom("a", "b", "c");
const labels = fc.dictionary(label, fc.constantFrom("1", "2"), { maxKeys: 3 });

it("poolsBySelector returns the pools whose labels a pod has, regardless of its other labels", () => {
  fc.assert(
    fc.property(fc.array(labels, { maxLength: 6 }), labels, (selectors, podLabels) => {
      const pools = selectors.map((matchLabels, at) => ({ name: `p${at}`, matchLabels }));
      const expected = pools.filter(({ matchLabels }) =>
        Object.entries(matchLabels).every(([key, value]) => podLabels[key] === value),
      );
      expect(poolsBySelector(pools)({ labels: podLabels }).sort()).toEqual(
        expected.map(({ name }) => name).sort(),
      );
    }),
  );
});

it("divide returns the same array for a key until one of its items changes", () => {
  const partition = new Partition<{ keys: readonly string[] }>();
  const keysOf = ({ keys }: { keys: readonly string[] }) => keys;
  const [both, one] = [{ keys: ["a", "b"] }, { keys: ["a"] }];
  const first = partition.divide([both, one], keysOf);
  expect([...first]).toEqual([
    ["a", [both, one]],
    ["b", [both]],
  ]);
  const other = { keys: ["a", "a"] };
  const second = partition.divide([both, other], keysOf);
  expect(second.get("b")).toBe(first.get("b"));
  expect(second.get("a")).toEqual([both, other]);
  expect(partition.divide([], keysOf).size).toBe(0);
});
