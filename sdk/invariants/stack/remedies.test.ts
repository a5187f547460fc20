import { describe, expect, it } from "vitest";
import { readStack } from "../../stack/stack.ts";
import { type Edit as Change, edited } from "./edited-stack.fixture.ts";
import { applyEdit } from "./edits.ts";
import { stackRules } from "./index.ts";

const set = "LeaderWorkerSet/svc-decode";
const leader = "spec leaderWorkerTemplate leaderTemplate spec";
const server = "spec template spec containers 0";

interface Case {
  readonly rule: string;
  readonly parameters?: object;
  /** Breaks the rule, and is mended. */
  readonly mended: readonly Change[];
  /** Breaks it, and is not ours to mend. */
  readonly left: readonly Change[];
}

const cases: Case[] = [
  {
    rule: "gpu-limits-are-whole",
    mended: [["Deployment/embedder", `${server} resources`, { requests: { "nvidia.com/gpu": 2 } }]],
    left: [["Deployment/embedder", `${server} resources limits nvidia.com/gpu`, "0.5"]],
  },
  {
    rule: "shared-memory-is-mounted",
    parameters: { sizeLimit: "32Gi" },
    mended: [
      [set, `${leader} containers 0 volumeMounts`, undefined],
      [set, `${leader} volumes`, undefined],
    ],
    left: [
      [set, `${leader} containers 0 volumeMounts`, undefined],
      [set, `${leader} volumes`, undefined],
      [set, `${leader} containers 0 resources limits memory`, "32Gi"],
    ],
  },
  {
    rule: "leaders-are-ready-when-serving",
    mended: [[set, `${leader} containers 0 readinessProbe`, undefined]],
    left: [
      [set, `${leader} containers 0 readinessProbe`, undefined],
      [set, `${leader} containers 0 ports`, undefined],
    ],
  },
  {
    rule: "gang-has-the-given-priority",
    parameters: { priorityClassName: "serving" },
    mended: [
      ["PodGroup/svc", "spec priorityClassName", undefined],
      [set, `${leader} priorityClassName`, undefined],
    ],
    left: [["PodGroup/svc", "spec priorityClassName", "batch"]],
  },
];

it("every remedy has its case", () => {
  const withRemedy = stackRules.filter(({ remedy }) => remedy !== undefined);
  expect(cases.map(({ rule }) => rule).sort()).toEqual(withRemedy.map(({ id }) => id).sort());
});

describe.each(cases)("the remedy of $rule", ({ rule: id, parameters, mended, left }) => {
  const rule = stackRules.find((each) => each.id === id);
  const judged = (stack: object[]) => rule?.judge(readStack(stack), parameters).findings.length;
  const remedy = (stack: object[]) => rule?.remedy?.(readStack(stack), parameters) ?? [];

  it("mends, and has nothing to do then", () => {
    const stack = edited(mended);
    expect(judged(stack)).toBeGreaterThan(0);
    for (const edit of remedy(stack)) applyEdit(stack, edit);
    expect(judged(stack)).toBe(0);
    expect(remedy(stack)).toEqual([]);
  });

  it("leaves alone what is right, and what it cannot mend", () => {
    expect(remedy(edited([]))).toEqual([]);
    expect(judged(edited(left))).toBeGreaterThan(0);
    expect(remedy(edited(left))).toEqual([]);
  });
});
