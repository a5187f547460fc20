import { describe, expect, it } from "vitest";
import { reasonOf } from "./object-identity.ts";
import { readModelRewrite } from "./read-model-rewrite.ts";

const metadata = { name: "a", namespace: "ns", uid: "u" };
const poolRef = { name: "pool" };

/** Returns the reason for which reading fails. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return reasonOf(error);
  }
  return "";
}

describe("readModelRewrite", () => {
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

  it("reads matches and targets, also with the older field name split", () => {
    expect(rules({ matches: [match("m"), match("n")], targets })).toEqual([[["m", "n"], split]]);
    expect(rules({ matches: [{ model: { value: "m" } }], split: targets })).toEqual([
      [["m"], split],
    ]);
  });

  it("applies to every model without matches, and to no model with an empty match", () => {
    expect(rules({ targets }, { matches: [], targets }, { matches: [{}], targets })).toEqual([
      [undefined, split],
      [undefined, split],
      [[], split],
    ]);
  });

  it("keeps the index of rules without targets", () => {
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
