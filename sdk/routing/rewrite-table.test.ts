import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aged as at, routedPool as pool, rewrite, rule } from "./objects.fixture.ts";
import { rewriteTable } from "./rewrite-table.ts";

describe("precedence (seed 004)", () => {
  it.each([
    [
      "the older object",
      [rewrite("a", [rule(["m"], ["new"])], at(2)), rewrite("b", [rule(["m"], ["old"])], at(1))],
      "old",
    ],
    [
      "of one age the first name",
      [rewrite("b", [rule(["m"], ["b"])]), rewrite("a", [rule(["m"], ["a"])])],
      "a",
    ],
    [
      "the earlier rule",
      [rewrite("a", [rule(["m"], ["first"]), rule(["m"], ["second"])])],
      "first",
    ],
    [
      "exact before an older generic rule",
      [
        rewrite("a", [rule(undefined, ["any"])], at(1)),
        rewrite("b", [rule(["m"], ["exact"])], at(2)),
      ],
      "exact",
    ],
    [
      "a rule with targets before one without",
      [rewrite("a", [rule(["m"])], at(1)), rewrite("b", [rule(["m"], ["works"])], at(2))],
      "works",
    ],
  ])("%s", (_, rewrites, expected) => {
    expect(rewriteTable(pool(), rewrites).exact.get("m")?.targets[0]?.model).toBe(expected);
  });

  it("does not depend on the order in which objects arrive", () => {
    const rewrites = [1, 2, 1, 2, 1].map((age, n) =>
      rewrite(`r${n}`, [rule(["m"], [`t${n}`])], at(age)),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(rewrites, { minLength: 5 }), (shuffled) => {
        expect(rewriteTable(pool(), shuffled)).toEqual(rewriteTable(pool(), rewrites));
      }),
    );
  });
});

it("a rule is for each of its models, and for none with an empty match", () => {
  const { exact, generic, unused } = rewriteTable(pool(), [
    rewrite("a", [rule(["m", "n"], ["t"]), rule([], ["never"])]),
  ]);
  expect([...exact.keys()]).toEqual(["m", "n"]);
  expect(generic).toBeUndefined();
  expect(unused).toEqual([{ rewrite: "default/a", index: 1, reason: "its matches name no model" }]);
});

it("tells which rules are never used, and why", () => {
  const { unused } = rewriteTable(pool(), [
    rewrite("a", [rule(["m"], ["t"]), rule(undefined, ["t"])]),
    rewrite("b", [rule(["m"], ["u"]), rule(undefined, ["u"]), rule(["x"])]),
  ]);
  expect(unused).toEqual([
    { rewrite: "default/b", index: 0, reason: "model m is rewritten by rules[0] of default/a" },
    { rewrite: "default/b", index: 1, reason: "every model is rewritten by rules[1] of default/a" },
    { rewrite: "default/b", index: 2, reason: "it has no target with a weight" },
  ]);
});

it("leaves out targets without a weight where others have one", () => {
  const { exact } = rewriteTable(pool(), [rewrite("a", [rule(["m"], ["t", 3], ["u"])])]);
  expect(exact.get("m")?.targets).toEqual([{ model: "t", weight: 3 }]);
});

it("passes over rewrites of other pools", () => {
  const poolRef = { group: "inference.networking.k8s.io", kind: "InferencePool", name: "other" };
  const { exact } = rewriteTable(pool(), [rewrite("a", [rule(["m"], ["t"])], { poolRef })]);
  expect(exact.size).toBe(0);
});
