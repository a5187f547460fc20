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
])("mergePatch from %j to %j is %j", (from, to, patch) => {
  expect(mergePatch(from, to)).toEqual(patch);
});

/** Applies a patch by RFC 7386, section 2. */
function applied(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete result[key];
    else result[key] = applied(result[key], value);
  return result;
}

it("mergePatch turns any object into any other", () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(
      fc.constantFrom("a", "b", "c"),
      fc.oneof({ maxDepth: 3 }, fc.nat(3), fc.array(fc.nat(3), { maxLength: 2 }), tie("tree")),
      // An object parsed from JSON has a prototype.
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

it("mergePatch ignores inherited fields", () => {
  expect(mergePatch({ constructor: "a" }, {})).toEqual({ constructor: null });
  expect(mergePatch({}, { constructor: "a" })).toEqual({ constructor: "a" });
});
