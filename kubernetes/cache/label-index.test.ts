import fc from "fast-check";
import { expect, it } from "vitest";
import { LabelIndex } from "./label-index.ts";

const object = (name: string, labels: Record<string, string>, namespace = "ns") => ({
  namespace,
  name,
  labels,
});

it("LabelIndex finds the objects of a namespace that have all labels", () => {
  const index = new LabelIndex<ReturnType<typeof object>>();
  const [a, b, c] = [
    object("a", { app: "m", tier: "x" }),
    object("b", { app: "m" }),
    object("a", { app: "m", tier: "x" }, "other"),
  ];
  for (const each of [a, b, c]) index.put(each);
  expect(index.select("ns", { app: "m" })).toEqual([a, b]);
  expect(index.select("ns", { app: "m", tier: "x" })).toEqual([a]);
  expect(index.select("ns", { app: "m", tier: "y" })).toEqual([]);
  expect(index.select("ns", {})).toEqual([]);
});

it("LabelIndex finds the same objects as a full scan, after any additions, changes and deletions", () => {
  const labels = fc.dictionary(fc.constantFrom("k", "l"), fc.constantFrom("1", "2"));
  const step = fc.record({
    name: fc.constantFrom("a", "b", "c"),
    labels: fc.option(labels, { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), labels, (steps, selector) => {
      const index = new LabelIndex<ReturnType<typeof object>>();
      const all = new Map<string, ReturnType<typeof object>>();
      for (const { name, labels: given } of steps) {
        const before = all.get(name);
        if (given === undefined) {
          if (before !== undefined) index.delete(before);
          all.delete(name);
        } else {
          const next = object(name, given);
          index.put(next, before);
          all.set(name, next);
        }
      }
      const wanted = Object.entries(selector);
      const expected = [...all.values()].filter(
        (each) => wanted.length > 0 && wanted.every(([key, value]) => each.labels[key] === value),
      );
      const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
      expect(index.select("ns", selector).sort(byName)).toEqual(expected.sort(byName));
    }),
  );
});
