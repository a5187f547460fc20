import fc from "fast-check";
import { expect, it } from "vitest";
import { mergePatch } from "./merge-patch.ts";

it.each([
  [{ a: 1 }, { a: 1 }, undefined],
  [{}, { a: 1 }, { a: 1 }],
  [{ a: 1 }, {}, { a: null }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  [{ a: { b: 1 }, d: 1 }, { a: {}, d: 1 }, { a: { b: null } }],
  [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
  [{ a: 1 }, { a: undefined }, { a: null }],
  [{ a: { b: 1 } }, { a: [1] }, { a: [1] }],
])("makes of %j %j by %j", (from, to, patch) => {
  expect(mergePatch(from, to)).toEqual(patch);
});

/** RFC 7386, 2. */
function applied(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete result[key];
    else result[key] = applied(result[key], value);
  return result;
}

it("makes any object of any other", () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(
      fc.constantFrom("a", "b", "c"),
      fc.oneof({ maxDepth: 3 }, fc.nat(3), fc.array(fc.nat(3), { maxLength: 2 }), tie("tree")),
      // What was read as JSON has a prototype.
      { noNullPrototype: true },
    ),
  }));
  const object = tree as fc.Arbitrary<Record<string, unknown>>;
  fc.assert(
    fc.property(object, object, (from, to) => {
      expect(applied(from, mergePatch(from, to) ?? {})).toEqual(to);
    }),
  );
});

it("tells fields from what every object inherits", () => {
  expect(mergePatch({ constructor: "a" }, {})).toEqual({ constructor: null });
  expect(mergePatch({}, { constructor: "a" })).toEqual({ constructor: "a" });
});
