import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PolicyViolation } from "../../cli/analyzer/analyzer-process.ts";
import { type PolicyPacks, startPolicyPacks } from "../../cli/check/policy-packs.ts";
import { bundlePacks } from "../../policies/bundle.ts";
import { type Diagnostic, recordProgram } from "../../recorder/index.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { allSnippets, pageText, snippetsOf } from "./markdown.ts";
import { documentedPrograms } from "./programs.ts";

/** The pages of docs/how-to: each solves one task by a program that plans without an error or a warning. */

const image = "registry.example.com/platform/pulumi-inference:0.1.0";

const index = "docs/how-to/README.md";
const pages = globSync("docs/how-to/*.md", { cwd: repositoryRoot })
  .filter((page) => page !== index)
  .sort();

const programs = documentedPrograms(
  allSnippets("ts").filter(({ page }) => page.startsWith("docs/how-to/")),
).filter(({ kind }) => kind === "program");

it("the index links every page", () => {
  const text = pageText(index);
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => !text.includes(`](${basename(page)})`))).toEqual([]);
});

describe.each(pages)("%s", (page) => {
  it("has a program, and the commands that deploy and prove it", () => {
    expect(programs.filter(({ place }) => place.startsWith(`${page}:`))).not.toEqual([]);
    const commands = snippetsOf(page)
      .filter(({ language }) => language === "sh" || language === "console")
      .map(({ text }) => text)
      .join("");
    expect(commands).toMatch(/^(\$ )?pulumi (up|destroy)/m);
    expect(commands).toMatch(/^(\$ )?(npx pulumi-inference|curl|kubectl) /m);
  });

  it("has at most 90 lines", () => {
    expect(pageText(page).split("\n").length).toBeLessThanOrEqual(91);
  });
});

describe("programs", () => {
  // Inside the repository, so that the package finds itself by its name.
  const folder = join(repositoryRoot, "dist", "how-to-programs");
  let packs: PolicyPacks;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    await bundlePacks();
    const project = { project: "how-to", stack: "dev", organization: "organization" };
    packs = await startPolicyPacks({ ...project, packs: ["inference"], preview: true });
  }, 120_000);
  afterAll(async () => {
    await packs?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Violations do not fail a resource, so that one does not hide the next. */
  const diagnosticsOf = (violations: readonly PolicyViolation[]): Diagnostic[] =>
    violations.map(({ policy, message }) => ({
      severity: "warning",
      message: `${policy.name}: ${message}`,
    }));

  it.each(programs)("$place plans without an error or a warning", async ({ place, text }) => {
    const file = join(folder, `${place.replaceAll(/\W/g, "-")}.mts`);
    writeFileSync(file, text);
    const { diagnostics, resources } = await recordProgram({
      project: "how-to",
      stack: "dev",
      program: {
        // Over gRPC, messages that the program logs are diagnostics, as they are with the Pulumi CLI.
        transport: "grpc",
        run: () => import(/* @vite-ignore */ pathToFileURL(file).href),
      },
      // The pages tell readers to set these; a preview warns of the default images, which are not published.
      config: {
        "pulumi-inference:image": image,
        "pulumi-inference:sidecarImage": image,
      },
      analyzer: {
        remediate: (resource) => packs.remediate(resource),
        analyze: async (resource) => diagnosticsOf(await packs.analyze(resource)),
        analyzeStack: async (resources) => diagnosticsOf(await packs.analyzeStack(resources)),
      },
    });
    const problems = diagnostics.filter(({ severity }) => severity !== "info");
    expect(problems.map(({ message }) => message)).toEqual([]);
    expect(resources.some(({ type }) => type.startsWith("kubernetes:"))).toBe(true);
  });
});
