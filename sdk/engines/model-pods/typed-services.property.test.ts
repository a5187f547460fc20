import fc from "fast-check";
import { expect, it } from "vitest";
import { arbitraryTypedService } from "../../../testing/samples/arbitrary-typed-service.ts";
import { formatPath, formatProblem, type Problem, SpecError } from "../../errors.ts";
import type { InferenceServiceInput } from "../../index.ts";
import { violations } from "../../invariant.ts";
import { planInferenceService } from "../../plan/inference-service.ts";
import { stackRules } from "../../rules/objects/index.ts";
import { readStack } from "../../stack/stack.ts";
import { fixesIn } from "./named-fixes.fixture.ts";

const mandatory = stackRules.filter(({ level }) => level === "mandatory");

/** Returns the problems of a service; undefined if it can be planned, after a check of its plan. */
function problemsOf(input: InferenceServiceInput): readonly Problem[] | undefined {
  try {
    const plan = planInferenceService(input);
    expect(violations(mandatory, readStack(plan)).map(formatProblem)).toEqual([]);
    return undefined;
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.problems;
  }
}

it("every accepted plan of a typed model passes every rule, and every named fix removes its problem", {
  timeout: 900_000,
}, () => {
  const counts = { accepted: 0, refused: 0, fixes: 0 };
  fc.assert(
    fc.property(arbitraryTypedService, (input) => {
      const problems = problemsOf(input);
      if (problems === undefined) {
        counts.accepted++;
        return;
      }
      counts.refused++;
      for (const problem of problems) {
        const fixes = fixesIn(problem, input);
        expect(fixes.length, `no fix is read from: ${formatProblem(problem)}`).toBeGreaterThan(0);
        for (const { text, fixed } of fixes) {
          if (fixed === undefined) continue;
          counts.fixes++;
          const left = problemsOf(fixed) ?? [];
          const same = left.filter(({ path }) => formatPath(path) === formatPath(problem.path));
          expect(
            same.filter(({ given }) => given === problem.given).map(formatProblem),
            `after the fix "${text}" of ${formatProblem(problem)}`,
          ).toEqual([]);
        }
      }
    }),
  );
  // The generator must reach both sides of the border.
  expect(Math.min(counts.accepted, counts.refused, counts.fixes)).toBeGreaterThan(30);
});
