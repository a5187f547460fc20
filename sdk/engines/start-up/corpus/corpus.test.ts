import { describe, expect, it } from "vitest";
import { modelFacts } from "../../models/model-facts.ts";
import { failures, faultsOf, recipes } from "./corpus.fixture.ts";

describe("public start-up failures", () => {
  it.each(failures.map((each) => [`${each.source}: ${each.kind}`, each] as const))(
    "engineFaults reports %s",
    (_, failure) => {
      const faults = failure.accelerators.flatMap((accelerator) => faultsOf(failure, accelerator));
      const named = faults.find(({ kind }) => kind === failure.kind);
      expect(named, JSON.stringify(faults)).toBeDefined();
      expect(`${named?.given}\n${named?.allowed}\n${named?.fix}`).toMatch(failure.message);
    },
  );

  it("the corpus has at least 40 failures of 15 kinds", () => {
    expect(failures.length).toBeGreaterThanOrEqual(40);
    expect(new Set(failures.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(15);
  });
});

describe("published recipes that run", () => {
  it.each(
    recipes.flatMap((each) =>
      each.accelerators.map(
        (accelerator) => [`${each.source} on ${accelerator}`, each, accelerator] as const,
      ),
    ),
  )("%s has no finding", (_, recipe, accelerator) => {
    // Recipes leave the token to the user.
    const faults = faultsOf(recipe, accelerator).filter(({ kind }) => kind !== "token");
    expect(faults).toEqual([]);
  });

  it("the corpus has at least 40 recipes, all of known models", () => {
    expect(recipes.length).toBeGreaterThanOrEqual(40);
    const unknown = recipes.filter(
      ({ command }) => !command.split(/[ =]/).some((word) => modelFacts(word) !== undefined),
    );
    expect(unknown).toEqual([]);
  });
});
