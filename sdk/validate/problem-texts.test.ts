import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatProblem, type Problem, type ProblemCode } from "../errors.ts";
import { parseInferenceService } from "./inference-service.ts";
import { problemsIn } from "./problems-in.fixture.ts";
import { parseObject, refusedObjects } from "./refused-objects.fixture.ts";
import { refusedServices } from "./refused-services.fixture.ts";

interface Refused {
  /** The kind and its problem. */
  readonly title: string;
  readonly problems: readonly Problem[];
}

const refused: readonly Refused[] = [
  ...refusedServices.map(([what, , input]) => ({
    title: `InferenceService, ${what}`,
    problems: problemsIn(() => parseInferenceService(input)),
  })),
  ...refusedObjects.map(([what, , written]) => ({
    title: `${Object.keys(written)[0]}, ${what}`,
    problems: problemsIn(() => parseObject(written)),
  })),
];

/** All codes; the type requires each one. */
const codes: Record<ProblemCode, true> = {
  shape: true,
  name: true,
  count: true,
  reference: true,
  conflict: true,
  "unknown-value": true,
};

/** Returns the texts of all problems with one code, grouped by spec. */
const section = (code: string): string => {
  const entries = refused.flatMap(({ title, problems }) => {
    const lines = problems.filter((each) => each.code === code).map(formatProblem);
    return lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `  ${line}\n`).join("")}`];
  });
  return `# ${code}\n\n${entries.join("\n")}`;
};

it("problem texts equal problem-texts.txt", async () => {
  await expect(Object.keys(codes).map(section).join("\n")).toMatchFileSnapshot(
    join(import.meta.dirname, "problem-texts.txt"),
  );
});

it.each(Object.keys(codes))("at least one refused spec has the code %s", (code) => {
  expect(refused.flatMap(({ problems }) => problems.map((each) => each.code))).toContain(code);
});

describe.each(refused)("problems of $title", ({ problems }) => {
  it("contain the given value, the allowed values and a fix in one line", () => {
    for (const { given, allowed, fix } of problems) {
      expect(given).toMatch(/^\S.*[^.;\s]$/);
      expect(allowed).toMatch(/^\S.*[^.;\s]$/);
      expect(fix).toMatch(/^[A-Z].*[.?]$/);
    }
  });
});
