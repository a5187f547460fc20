import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkProgram } from "../../cli/check/check-program.ts";
import type { Outcome } from "../../cli/check/outcome.ts";
import { type PolicyPacks, startPolicyPacks } from "../../cli/check/policy-packs.ts";
import { readProgram } from "../../cli/input/program.ts";
import { recipes } from "../../examples/recipes/recipes.ts";
import { bundlePacks } from "../../policies/bundle.ts";
import { importedProgram } from "../../testing/programs/imported-program.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/** Examples pass every rule, without errors or warnings. */

describe("the programs of examples", () => {
  let packs: PolicyPacks;
  beforeAll(async () => {
    await bundlePacks();
    const project = { project: "examples", stack: "test", organization: "organization" };
    packs = await startPolicyPacks({ ...project, packs: ["inference"], preview: true });
  });
  afterAll(() => packs?.[Symbol.asyncDispose]());

  const silent = { write: () => {}, colour: false };
  const terminal = { out: silent, err: silent, readStdin: async () => "" };

  const wrong = ({ findings, errors }: Outcome) => [
    ...errors,
    ...findings.map(({ policy, message }) => `${policy.name}: ${message}`),
  ];

  const programs = globSync("examples/**/Pulumi.yaml", {
    cwd: repositoryRoot,
    exclude: (name) => ["node_modules", "languages", "clouds"].includes(basename(name)),
  });

  /** Configuration that the programs require from their users. */
  const config: Record<string, Record<string, string>> = {
    "multi-cluster-endpoint": { kubeconfig: "{}" },
    "multi-cluster-set": { kubeconfig: "{}" },
  };

  const outcomeOf = async (folder: string, own: Record<string, string> = {}) => {
    const loaded = await readProgram(join(repositoryRoot, folder), "test");
    const program = {
      ...loaded,
      program: importedProgram(loaded.program.dir),
      config: { ...loaded.config, ...config[loaded.project], ...own },
    };
    return checkProgram(program, packs, terminal);
  };

  it.each(programs.map(dirname).sort())("%s", async (folder) => {
    const outcome = await outcomeOf(folder);
    expect(wrong(outcome)).toEqual([]);
    expect(outcome.objects).toBeGreaterThan(0);
  });

  it.each(Object.keys(recipes))("recipe %s", async (recipe) => {
    const outcome = await outcomeOf("examples/recipes", { "recipes:recipe": recipe });
    expect(wrong(outcome)).toEqual([]);
    expect(outcome.objects).toBeGreaterThan(0);
  });
});
