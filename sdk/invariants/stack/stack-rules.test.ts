import { describe, expect, it } from "vitest";
import { formatProblem } from "../../errors.ts";
import { notKnownYet } from "../../stack/not-known-yet.ts";
import { readStack } from "../../stack/stack.ts";
import { goodStack } from "./good-stack.fixture.ts";
import { stackRules } from "./index.ts";
import { edited, type RuleCases, ruleCases } from "./rule-cases.fixture.ts";
import type { StackRule } from "./stack-rule.ts";

const ruleOf = (id: string) => stackRules.find((rule) => rule.id === id) as StackRule;

const judged = ({ rule, parameters }: RuleCases, stack: object[]) => {
  const verdict = ruleOf(rule).judge(readStack(stack), parameters);
  const { code } = ruleOf(rule);
  return verdict.findings.map((finding) => formatProblem({ code, ...finding }));
};

it("the good stack is clean under every rule", () => {
  const stack = readStack(goodStack());
  const findings = stackRules.flatMap((rule) =>
    rule
      .judge(stack)
      .findings.map((finding) => `${rule.id}: ${formatProblem({ code: rule.code, ...finding })}`),
  );
  expect(findings).toEqual([]);
});

describe.each(ruleCases)("$rule", (cases) => {
  it.each(cases.passes.map((edits, at) => [at, edits] as const))("passes (%i)", (_at, edits) => {
    expect(judged(cases, edited(edits))).toEqual([]);
  });

  it.each(cases.fails.map((edits, at) => [at, edits] as const))(
    "fails by one edit (%i)",
    (_at, edits) => {
      const before = edits.slice(0, -1);
      // The edit before the last may itself be one that makes up for an earlier one.
      expect(judged(cases, edited(before))).toEqual([]);
      expect(judged(cases, edited(edits))).not.toEqual([]);
    },
  );

  it("says the same whatever the order of the objects", () => {
    for (const edits of cases.fails) {
      const stack = edited(edits);
      expect(judged(cases, stack.toReversed()).length).toBe(judged(cases, stack).length);
    }
  });
});

it("every rule has at least three cases that pass and three that fail", () => {
  const counts = new Map(
    ruleCases.map(({ rule, passes, fails }) => [rule, Math.min(passes.length, fails.length)]),
  );
  expect(stackRules.filter(({ id }) => (counts.get(id) ?? 0) < 3).map(({ id }) => id)).toEqual([]);
  expect(ruleCases.filter(({ rule }) => ruleOf(rule) === undefined)).toEqual([]);
});

it("rules have ids and titles of their own", () => {
  expect(new Set(stackRules.map(({ id }) => id)).size).toBe(stackRules.length);
  expect(new Set(stackRules.map(({ title }) => title)).size).toBe(stackRules.length);
});

describe("what is not known yet", () => {
  /** Every place of a value, with the value replaced. */
  function* withUnknowns(value: unknown): Iterable<unknown> {
    if (value === null || typeof value !== "object") return;
    for (const key of Object.keys(value)) {
      const of = value as Record<string, unknown>;
      yield {
        at: key,
        value: Array.isArray(value)
          ? value.with(Number(key), notKnownYet)
          : { ...of, [key]: notKnownYet },
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

  it("breaks no rule, anywhere in the good stack", () => {
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

  it("is told, and does not hide what is known", () => {
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
      image: notKnownYet,
    });
    const { findings, unknown } = ruleOf("image-tag-is-fixed").judge(readStack(stack));
    expect(findings.map(({ path }) => path[0])).toEqual([8]);
    expect(unknown).toEqual([
      [1, "spec", "leaderWorkerTemplate", "leaderTemplate", "spec", "containers", 0, "image"],
    ]);
  });
});
