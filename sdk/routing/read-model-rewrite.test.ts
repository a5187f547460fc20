import { describe, expect, it } from "vitest";
import { reasonOf } from "./object-identity.ts";
import { readModelRewrite } from "./read-model-rewrite.ts";

const metadata = { name: "a", namespace: "ns", uid: "u" };
const poolRef = { name: "pool" };

/** Why reading fails. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return reasonOf(error);
  }
  return "";
}

describe("rewrites", () => {
  const rules = (...rules: object[]) =>
    readModelRewrite({ metadata, spec: { poolRef, rules } }).rules.map(({ models, targets }) => [
      models,
      targets.map(({ model, weight }) => [model, weight]),
    ]);
  const targets = [{ modelRewrite: "a", weight: 9 }, { modelRewrite: "b" }];
  const split = [
    ["a", 9],
    ["b", undefined],
  ];
  const match = (value: string) => ({ model: { type: "Exact", value } });

  it("reads matches and targets, by the older name of the field too", () => {
    expect(rules({ matches: [match("m"), match("n")], targets })).toEqual([[["m", "n"], split]]);
    expect(rules({ matches: [{ model: { value: "m" } }], split: targets })).toEqual([
      [["m"], split],
    ]);
  });

  it("is for every model without matches, and for none by a match without a model", () => {
    expect(rules({ targets }, { matches: [], targets }, { matches: [{}], targets })).toEqual([
      [undefined, split],
      [undefined, split],
      [[], split],
    ]);
  });

  it("keeps rules without targets in their place", () => {
    expect(rules({}, { targets })).toEqual([
      [undefined, []],
      [undefined, split],
    ]);
  });

  it.each([
    [{ matches: [{ model: { type: "Prefix", value: "m" } }] }, /^spec\.rules\[0\]\.matches\[0\]\./],
    [{ targets: [{ weight: 1 }] }, /^spec\.rules\[0\]\.targets\[0\]\.modelRewrite: /],
    [
      { targets: [{ modelRewrite: "a", weight: "1" }] },
      /^spec\.rules\[0\]\.targets\[0\]\.weight: /,
    ],
  ])("refuses %j", (rule, message) => {
    expect(refusal(() => rules(rule))).toMatch(message);
  });
});
