import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkManifests, manifestsToCheck } from "../../cli/check/check-manifests.ts";
import { isClean, weightOf } from "../../cli/check/outcome.ts";
import { type PolicyPacks, startPolicyPacks } from "../../cli/check/policy-packs.ts";
import { textReport } from "../../cli/check/reports/text.ts";
import { readDocuments } from "../../cli/input/input.ts";
import { bundlePacks } from "../../policies/bundle.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/** Reports on stacks that an API server would admit but that would never serve. */

const folder = join(import.meta.dirname, "bad-stacks");
const stacks = readdirSync(folder).filter((file) => file.endsWith(".yaml"));

let packs: PolicyPacks;
beforeAll(async () => {
  await bundlePacks();
  const project = { project: "manifests", stack: "check", organization: "organization" };
  packs = await startPolicyPacks({ ...project, packs: ["inference"], preview: true });
});
afterAll(() => packs?.[Symbol.asyncDispose]());

const nobody = { write: () => {}, colour: false };

const checked = async (path: string) => {
  const documents = await readDocuments([path], { err: nobody, readStdin: async () => "" });
  return checkManifests(manifestsToCheck(documents, []), packs);
};

describe.each(stacks)("%s", (stack) => {
  it("is refused, and each error contains the object, the problem, the allowed value and the fix", async () => {
    const outcome = await checked(join(folder, stack));
    expect(isClean(outcome)).toBe(false);
    const errors = outcome.findings.filter((finding) => weightOf(finding) === "error");
    for (const { policy, message } of errors) {
      expect(policy.fix).not.toBe("");
      expect(message).toMatch(/^\w+ ml\/[\w-]+: .*: .*; allowed: .*\. .*\.$/);
    }
    const report = textReport(outcome, { colour: false }).replaceAll(`${folder}/`, "");
    await expect(report).toMatchFileSnapshot(join(folder, stack.replace(".yaml", ".txt")));
  });
});

it("there are at least ten bad stacks", () => {
  expect(stacks.length).toBeGreaterThanOrEqual(10);
});

describe("no finding above a warning", () => {
  it.each([
    "monolithic",
    "disaggregated",
    "multi-node",
    "disaggregated-multi-node",
    "sglang",
    "lora",
  ])("is reported for the objects of example %s", async (example) => {
    const outcome = await checked(join(repositoryRoot, "examples", example, "expected.yaml"));
    expect(outcome.objects).toBeGreaterThan(0);
    const wrong = outcome.findings.filter((finding) => weightOf(finding) !== "warning");
    expect(wrong.map(({ policy, message }) => `${policy.name}: ${message}`)).toEqual([]);
  });
});
