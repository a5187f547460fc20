import { describe, expect, it } from "vitest";
import { formatProblem } from "../../errors.ts";
import { readStack } from "../../stack/stack.ts";
import { unknownValue } from "../../stack/unknown-value.ts";
import { formatObjectFinding } from "../helpers/format-finding.ts";
import type { StackRule } from "../helpers/stack-rule.ts";
import { edited, type RuleCases } from "./edited-stack.fixture.ts";
import { goodStack } from "./good-stack.fixture.ts";
import { stackRules } from "./index.ts";
import { ruleCases } from "./rule-cases.fixture.ts";

function ruleOf(id: string): StackRule {
  const found = stackRules.find((rule) => rule.id === id);
  if (found === undefined)
    throw new Error(`no rule ${id}: correct the id in its cases, or list its file in index.ts`);
  return found;
}

/** Returns the findings of a rule on a stack: object, path and message. */
function judged({ rule, parameters }: RuleCases, stack: object[]): string[] {
  const { findings } = ruleOf(rule).judge(readStack(stack), parameters);
  return findings.map((finding) =>
    formatObjectFinding(ruleOf(rule), finding, stack[finding.path[0] as number]),
  );
}

it("no rule reports a finding on the good stack", () => {
  const stack = readStack(goodStack());
  const findings = stackRules.flatMap((rule) =>
    rule
      .judge(stack)
      .findings.map((finding) => `${rule.id}: ${formatProblem({ code: rule.code, ...finding })}`),
  );
  expect(findings).toEqual([]);
});

describe.each(ruleCases)("rule $rule", (cases) => {
  it.each(Object.entries(cases.allows))(`${cases.rule} allows %s`, (_name, edits) => {
    expect(judged(cases, edited(edits))).toEqual([]);
  });

  it.each(Object.entries(cases.refuses))(
    `${cases.rule} refuses %s, by one edit`,
    (_name, { edits, finds }) => {
      // An earlier edit may break the rule if a later edit before the last one repairs it.
      expect(judged(cases, edited(edits.slice(0, -1)))).toEqual([]);
      expect(judged(cases, edited(edits))).toEqual(finds);
    },
  );

  it(`${cases.rule} has the same number of findings for any order of the objects`, () => {
    for (const { edits } of Object.values(cases.refuses)) {
      const stack = edited(edits);
      expect(judged(cases, stack.toReversed()).length).toBe(judged(cases, stack).length);
    }
  });
});

it("every rule has at least three allowed and three refused cases", () => {
  const counts = new Map(
    ruleCases.map(({ rule, allows, refuses }) => [
      rule,
      Math.min(Object.keys(allows).length, Object.keys(refuses).length),
    ]),
  );
  expect(stackRules.filter(({ id }) => (counts.get(id) ?? 0) < 3).map(({ id }) => id)).toEqual([]);
});

it("every rule has a unique id and a unique title", () => {
  expect(new Set(stackRules.map(({ id }) => id)).size).toBe(stackRules.length);
  expect(new Set(stackRules.map(({ title }) => title)).size).toBe(stackRules.length);
});

describe("unknown values", () => {
  /** Yields a copy of the value for each of its fields and items, with that field or item unknown. */
  function* withUnknowns(value: unknown): Iterable<unknown> {
    if (value === null || typeof value !== "object") return;
    for (const key of Object.keys(value)) {
      const of = value as Record<string, unknown>;
      yield {
        at: key,
        value: Array.isArray(value)
          ? value.with(Number(key), unknownValue)
          : { ...of, [key]: unknownValue },
      };
      for (const inner of withUnknowns(of[key]) as Iterable<{ at: string; value: unknown }>)
        yield {
          at: `${key} ${inner.at}`,
          value: Array.isArray(value)
            ? value.with(Number(key), inner.value)
            : { ...of, [key]: inner.value },
        };
    }
  }

  it("an unknown value in any field of the good stack causes no finding", () => {
    for (const { at, value } of withUnknowns(goodStack()) as Iterable<{
      at: string;
      value: unknown[];
    }>) {
      if (/^\d+( (apiVersion|kind))?$/.test(at)) continue;
      const stack = readStack(value);
      for (const rule of stackRules) {
        const { findings } = rule.judge(stack);
        expect(
          findings.map(
            (finding) => `${at}: ${rule.id} ${formatProblem({ code: rule.code, ...finding })}`,
          ),
        ).toEqual([]);
      }
    }
  });

  it("an unknown value is reported as unknown and does not hide findings in other objects", () => {
    const stack = edited([
      ["Deployment/embedder", "spec template spec containers 0 image", "server:latest"],
      [
        "LeaderWorkerSet/svc-decode",
        "spec leaderWorkerTemplate leaderTemplate spec containers 0 image",
        "x",
      ],
    ]) as Array<{
      spec: { leaderWorkerTemplate: { leaderTemplate: { spec: { containers: object[] } } } };
    }>;
    Object.assign(stack[1]?.spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0] as object, {
      image: unknownValue,
    });
    const { findings, unknown } = ruleOf("image-tag-is-fixed").judge(readStack(stack));
    expect(findings.map(({ path }) => path[0])).toEqual([8]);
    expect(unknown).toEqual([
      [1, "spec", "leaderWorkerTemplate", "leaderTemplate", "spec", "containers", 0, "image"],
    ]);
  });
});
