import fc from "fast-check";
import { expect, it } from "vitest";
import { Heap, type HeapEntry } from "./heap.ts";

const step = fc.record({
  does: fc.constantFrom("add", "add", "move", "remove", "take"),
  which: fc.nat(1_000),
  key: fc.integer({ min: 0, max: 20 }),
});

it("the first entry of a heap is the lowest one after any additions, moves and removals", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const heap = new Heap<number>();
      const left: HeapEntry<number>[] = [];
      steps.forEach(({ does, which, key }, at) => {
        const chosen = does === "take" ? heap.first : left[which % left.length];
        if (does === "add") left.push(heap.add(at, key, at));
        else if (chosen === undefined) return;
        else if (does === "move") heap.move(chosen, key, at);
        else {
          heap.remove(chosen);
          left.splice(left.indexOf(chosen), 1);
        }
        const [least] = left.toSorted((a, b) => a.key - b.key || a.tie - b.tie);
        expect(heap.first).toBe(least);
        expect(new Set(heap.entries())).toEqual(new Set(left));
      });
    }),
  );
});
