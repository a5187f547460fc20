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

const services = Object.entries(refusedServices).map(
  ([topic, specs]): [string, readonly Refused[]] => [
    topic,
    specs.map(([what, , input]) => ({
      title: `InferenceService, ${what}`,
      problems: problemsIn(() => parseInferenceService(input)),
    })),
  ],
);
const objects = Object.entries(refusedObjects).map(
  ([topic, specs]): [string, readonly Refused[]] => [
    topic,
    specs.map(([what, , written]) => ({
      title: `${Object.keys(written)[0]}, ${what}`,
      problems: problemsIn(() => parseObject(written)),
    })),
  ],
);
const topics = [...services, ...objects];
const refused = topics.flatMap(([, specs]) => specs);

/** All codes; the type requires each one. */
const codes: Record<ProblemCode, true> = {
  shape: true,
  name: true,
  count: true,
  reference: true,
  conflict: true,
  "unknown-value": true,
};

/** Returns the code and text of each problem, by spec. */
const textsOf = (specs: readonly Refused[]): string =>
  specs
    .map(({ title, problems }) => {
      const lines = problems.map((each) => `  ${each.code}: ${formatProblem(each)}\n`);
      return `${title}\n${lines.join("")}`;
    })
    .join("\n");

it.each(topics)("problem texts of %s equal their file", async (topic, specs) => {
  await expect(textsOf(specs)).toMatchFileSnapshot(
    join(import.meta.dirname, "problem-texts", `${topic}.txt`),
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
