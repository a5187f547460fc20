import { describe, expect, it } from "vitest";
import { readStack } from "../../stack/stack.ts";
import { applyEdit } from "../helpers/edits.ts";
import { type Edit as Change, edited } from "./edited-stack.fixture.ts";
import { stackRules } from "./index.ts";

const set = "LeaderWorkerSet/svc-decode";
const leader = "spec leaderWorkerTemplate leaderTemplate spec";
const server = "spec template spec containers 0";

interface Case {
  readonly rule: string;
  readonly parameters?: object;
  /** Changes that break the rule and that the remediation fixes. */
  readonly fixed: readonly Change[];
  /** Changes that break the rule and that the remediation leaves to the author. */
  readonly left: readonly Change[];
}

const cases: Case[] = [
  {
    rule: "gpu-limits-are-whole",
    fixed: [["Deployment/embedder", `${server} resources`, { requests: { "nvidia.com/gpu": 2 } }]],
    left: [["Deployment/embedder", `${server} resources limits nvidia.com/gpu`, "0.5"]],
  },
  {
    rule: "shared-memory-is-mounted",
    parameters: { sizeLimit: "32Gi" },
    fixed: [
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
    rule: "host-network-resolves-names",
    fixed: [[set, `${leader} hostNetwork`, true]],
    left: [
      [set, `${leader} hostNetwork`, true],
      [set, `${leader} dnsPolicy`, "Default"],
    ],
  },
  {
    rule: "leaders-are-ready-when-serving",
    fixed: [[set, `${leader} containers 0 readinessProbe`, undefined]],
    left: [
      [set, `${leader} containers 0 readinessProbe`, undefined],
      [set, `${leader} containers 0 ports`, undefined],
    ],
  },
  {
    rule: "gang-has-the-given-priority",
    parameters: { priorityClassName: "serving" },
    fixed: [
      ["PodGroup/svc", "spec priorityClassName", undefined],
      [set, `${leader} priorityClassName`, undefined],
    ],
    left: [["PodGroup/svc", "spec priorityClassName", "batch"]],
  },
];

it("every rule with a remediation has a case", () => {
  const withRemediation = stackRules.filter(({ remediate }) => remediate !== undefined);
  expect(cases.map(({ rule }) => rule).sort()).toEqual(withRemediation.map(({ id }) => id).sort());
});

describe.each(cases)("the remediation of $rule", ({ rule: id, parameters, fixed, left }) => {
  const rule = stackRules.find((each) => each.id === id);
  const judged = (stack: object[]) => rule?.judge(readStack(stack), parameters).findings.length;
  const remediate = (stack: object[]) => rule?.remediate?.(readStack(stack), parameters) ?? [];

  it("fixes the finding and makes no further edit", () => {
    const stack = edited(fixed);
    expect(judged(stack)).toBeGreaterThan(0);
    for (const edit of remediate(stack)) applyEdit(stack, edit);
    expect(judged(stack)).toBe(0);
    expect(remediate(stack)).toEqual([]);
  });

  it("leaves correct objects and unfixable findings unchanged", () => {
    expect(remediate(edited([]))).toEqual([]);
    expect(judged(edited(left))).toBeGreaterThan(0);
    expect(remediate(edited(left))).toEqual([]);
  });
});
