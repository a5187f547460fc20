import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recipes } from "../examples/recipes/recipes.ts";
import { engineOf } from "../sdk/engines/containers/engine-container.ts";
import { modelFacts } from "../sdk/engines/models/model-facts.ts";
import { launchFaults } from "../sdk/engines/start-up/launch-faults.ts";
import type { InferenceServiceInput } from "../sdk/index.ts";
import { violations } from "../sdk/invariant.ts";
import { inferenceServiceAdvice } from "../sdk/rules/spec/advice.ts";
import { inferenceRolesOf } from "../sdk/spec/inference-service.ts";
import { parseInferenceService } from "../sdk/validate/inference-service.ts";
import { repositoryRoot } from "../testing/repository.ts";

/** Every recipe against the facts of its model; `npm test engines` has the engines' parsers read its command line. */

const each = Object.entries(recipes);

describe.each(each)("recipe %s", (name, spec) => {
  it("is planned without advice", () => {
    const input = { metadata: { name: name.replaceAll(".", "-") }, spec };
    const service = parseInferenceService(input as unknown as InferenceServiceInput);
    expect(violations(inferenceServiceAdvice, service.spec)).toEqual([]);
    const faults = inferenceRolesOf(service.spec).flatMap(({ template }) => [
      ...launchFaults(engineOf(template.spec), template.spec),
    ]);
    expect(faults).toEqual([]);
  });

  it("passes a token if the model is gated, and none otherwise", () => {
    const { model } = spec;
    expect(model.token !== undefined).toBe(modelFacts(model.name)?.gated);
  });

  it("is in the table of the README", () => {
    const readme = readFileSync(join(repositoryRoot, "examples/recipes/README.md"), "utf8");
    expect(readme).toContain(`\`${name}\``);
  });
});

it("there are recipes of at least 20 models", () => {
  expect(new Set(each.map(([, { model }]) => model.name)).size).toBeGreaterThanOrEqual(20);
});
