import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aged as at, routedPool as pool, rewrite, rule } from "./objects.fixture.ts";
import { rewriteTable } from "./rewrite-table.ts";

describe("precedence of rewrites (seed 004)", () => {
  it.each([
    [
      "the older object",
      [rewrite("a", [rule(["m"], ["new"])], at(2)), rewrite("b", [rule(["m"], ["old"])], at(1))],
      "old",
    ],
    [
      "the first name among objects of the same age",
      [rewrite("b", [rule(["m"], ["b"])]), rewrite("a", [rule(["m"], ["a"])])],
      "a",
    ],
    [
      "the earlier rule",
      [rewrite("a", [rule(["m"], ["first"]), rule(["m"], ["second"])])],
      "first",
    ],
    [
      "an exact rule before an older generic rule",
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

  it("the table does not depend on the order of the objects", () => {
    const rewrites = [1, 2, 1, 2, 1].map((age, n) =>
      rewrite(`r${n}`, [rule(["m"], [`t${n}`])], at(age)),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(rewrites, { minLength: 5 }), (shuffled) => {
        const [one, other] = [shuffled, rewrites].map((objects) => {
          const { exact, generic, unused } = rewriteTable(pool(), objects);
          return { exact: [...exact], generic, unused };
        });
        expect(one).toEqual(other);
      }),
    );
  });
});

it("a rule applies to each of its models, and with an empty match to none", () => {
  const { exact, generic, unused } = rewriteTable(pool(), [
    rewrite("a", [rule(["m", "n"], ["t"]), rule([], ["never"])]),
  ]);
  expect([...exact.keys()]).toEqual(["m", "n"]);
  expect(generic).toBeUndefined();
  expect(unused).toEqual([{ rewrite: "default/a", index: 1, reason: "no match names a model" }]);
});

it("unused lists the rules that are never used, with the reason", () => {
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

describe("a change of one of several objects", () => {
  /** Returns an object that counts how often its rules are read. */
  function counted(name: string, models: number, target: string) {
    const rules = Array.from({ length: models }, (_, at) => rule([`${name}-${at}`], [target]));
    const object = rewrite(name, rules);
    const reads = { count: 0 };
    Object.defineProperty(object, "rules", {
      get() {
        reads.count += 1;
        return rules;
      },
    });
    return { object, reads };
  }

  it.each([
    ["large", 1_500],
    ["small", 3],
  ])("reads only the rules of the changed object if objects are %s", (_, models) => {
    const all = Array.from({ length: 20 }, (_, at) => counted(`r${at}`, models, "old"));
    const first = rewriteTable(
      pool(),
      all.map(({ object }) => object),
    );
    expect(first.exact.get("r7-0")?.targets).toEqual([{ model: "old", weight: undefined }]);
    expect(all.map(({ reads }) => reads.count)).toEqual(Array(20).fill(1));
    const changed = counted("r7", models, "new");
    const after = [...all.slice(0, 7), changed, ...all.slice(8)];
    const second = rewriteTable(
      pool(),
      after.map(({ object }) => object),
    );
    expect(second.exact.get("r7-0")?.targets).toEqual([{ model: "new", weight: undefined }]);
    expect(second.exact.get("r19-2")?.targets).toEqual([{ model: "old", weight: undefined }]);
    expect(after.map(({ reads }) => reads.count)).toEqual(Array(20).fill(1));
    expect(first.exact.get("r7-0")?.targets).toEqual([{ model: "old", weight: undefined }]);
    expect(["old", "new"].map((model) => second.hasTarget(model))).toEqual([true, true]);
    expect(["old", "new"].map((model) => first.hasTarget(model))).toEqual([true, false]);
    expect([...second.exact.keys()]).toHaveLength(20 * models);
  });
});

it("the first of several objects gets a model name, for small and large objects", () => {
  const models = Array.from({ length: 1_200 }, (_, at) => `m${at}`);
  const table = rewriteTable(pool(), [
    rewrite("c", [rule(models, ["c"])]),
    rewrite("b", [rule(["m2", "m3"], ["b"])]),
    rewrite("a", [rule(["m1", "m2"], ["a"])]),
  ]);
  const targetOf = (model: string) => table.exact.get(model)?.targets[0]?.model;
  expect(["m0", "m1", "m2", "m3", "n"].map(targetOf)).toEqual(["c", "a", "a", "b", undefined]);
  expect([...table.exact].map(([, { rewrite }]) => rewrite).slice(0, 3)).toEqual([
    "default/a",
    "default/a",
    "default/b",
  ]);
  expect([...table.exact.keys()].sort()).toEqual([...models].sort());
});

it("targets without a weight are left out if other targets have one", () => {
  const { exact } = rewriteTable(pool(), [rewrite("a", [rule(["m"], ["t", 3], ["u"])])]);
  expect(exact.get("m")?.targets).toEqual([{ model: "t", weight: 3 }]);
});

it("rewrites of other pools are ignored", () => {
  const poolRef = { group: "inference.networking.k8s.io", kind: "InferencePool", name: "other" };
  const { exact } = rewriteTable(pool(), [rewrite("a", [rule(["m"], ["t"])], { poolRef })]);
  expect(exact.isEmpty).toBe(true);
});
