import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnalyzerProcess, startAnalyzer } from "../../cli/check/analyzer-process.ts";
import { packFolder } from "../../cli/check/policy-packs.ts";
import type { AnalyzedResource } from "../../engine/index.ts";
import { bundlePacks } from "../../policies/bundle.ts";
import { stackRules } from "../../sdk/invariants/index.ts";
import { packNames } from "../../sdk/invariants/stack/packs.ts";
import { edited, ruleCases } from "../../sdk/invariants/stack/rule-cases.fixture.ts";

/** Every rule, asked over gRPC of the process that the Pulumi CLI asks. */

const project = { project: "proj", stack: "dev", organization: "organization", preview: true };

const start = (pack: string) => startAnalyzer({ ...project, folder: packFolder(pack) });

function resourcesOf(objects: readonly object[]): AnalyzedResource[] {
  return objects.map((object, at) => {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    const groupVersion = apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
    const type = `kubernetes:${groupVersion}:${kind}`;
    return {
      ...{ urn: `urn:pulumi:dev::proj::${type}::${at}`, type, name: String(at), parent: "" },
      ...{ properties: object as AnalyzedResource["properties"] },
      ...{ dependencies: [], propertyDependencies: {} },
    };
  });
}

let analyzer: AnalyzerProcess;
beforeAll(async () => {
  await bundlePacks();
  analyzer = await start("inference");
});
afterAll(() => analyzer?.[Symbol.asyncDispose]());

async function violationsOf(objects: readonly object[]) {
  const resources = resourcesOf(objects);
  const ofResources = await Promise.all(resources.map((each) => analyzer.analyze(each)));
  return [...ofResources.flat(), ...(await analyzer.analyzeStack(resources))];
}

it.each(ruleCases)("$rule", async ({ rule, parameters, passes, fails }) => {
  const { mend, title } = stackRules.find(({ id }) => id === rule) ?? {};
  const settings = new Map(
    stackRules.map(({ id }) => [id, { level: "disabled" as "disabled" | "mandatory" }]),
  );
  await analyzer.configure(
    settings.set(rule, { level: "mandatory", ...(parameters && { parameters }) }),
  );
  expect(await violationsOf(edited(passes[0] ?? []))).toEqual([]);
  for (const edits of fails) {
    const violations = await violationsOf(edited(edits));
    expect(violations.length).toBeGreaterThan(0);
    for (const { policy, level, urn, isKnown } of violations) {
      expect({ name: policy.name, level, isKnown }).toEqual({
        ...{ name: rule, level: "mandatory", isKnown: true },
      });
      expect(policy).toMatchObject({ mend, title });
      expect(urn).toBeDefined();
    }
  }
});

describe.each(packNames)("pack %s", (pack) => {
  it("has its rules and no others, each with the level that it has by default", async () => {
    await using own = await start(pack);
    expect(own.policies.map(({ name, level }) => [name, level])).toEqual(
      stackRules.filter((rule) => rule.pack === pack).map(({ id, level }) => [id, level]),
    );
  });
});

it("pack inference has all rules", () => {
  expect(analyzer.policies.map(({ name }) => name)).toEqual(stackRules.map(({ id }) => id));
});
