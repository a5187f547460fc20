import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnalyzerProcess, startAnalyzer } from "../../cli/analyzer/analyzer-process.ts";
import type { PolicyLevel } from "../../cli/analyzer/policy-config.ts";
import { packFolder } from "../../cli/check/policy-packs.ts";
import { bundlePacks } from "../../policies/bundle.ts";
import { type RecordedResource, secret } from "../../recorder/index.ts";
import { packNames } from "../../sdk/rules/helpers/packs.ts";
import { edited } from "../../sdk/rules/objects/edited-stack.fixture.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { ruleCases } from "../../sdk/rules/objects/rule-cases.fixture.ts";

/** Every rule, asked over gRPC of the process that the Pulumi CLI asks. */

const project = { project: "proj", stack: "dev", organization: "organization", preview: true };

const start = (pack: string) => startAnalyzer({ ...project, folder: packFolder(pack) });

function resourcesOf(objects: readonly object[]): RecordedResource[] {
  return objects.map((object, at) => {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    const groupVersion = apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
    const type = `kubernetes:${groupVersion}:${kind}`;
    return {
      ...{ urn: `urn:pulumi:dev::proj::${type}::${at}`, type, name: String(at), parent: "" },
      ...{ properties: object as RecordedResource["properties"] },
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

it.each(ruleCases)(
  "policy $rule reports the violations of the rule",
  async ({ rule, parameters, allows, refuses }) => {
    const { fix, title } = stackRules.find(({ id }) => id === rule) ?? {};
    const settings = new Map(
      stackRules.map(({ id }) => [id, { level: "disabled" as "disabled" | "mandatory" }]),
    );
    await analyzer.configure(
      settings.set(rule, { level: "mandatory", ...(parameters && { parameters }) }),
    );
    expect(await violationsOf(edited(Object.values(allows)[0] ?? []))).toEqual([]);
    for (const { edits, finds } of Object.values(refuses)) {
      const violations = await violationsOf(edited(edits));
      expect(violations.map(({ message }) => message).toSorted()).toEqual(finds.toSorted());
      for (const { policy, level, urn, isKnown } of violations) {
        expect({ name: policy.name, level, isKnown }).toEqual({
          ...{ name: rule, level: "mandatory", isKnown: true },
        });
        expect(policy).toMatchObject({ fix, title });
        expect(urn).toBeDefined();
      }
    }
  },
);

describe("remediations", () => {
  const [broken] = resourcesOf([
    {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "ml" } },
      spec: {
        containers: [
          {
            name: "a",
            env: [{ name: "TOKEN", value: secret("hunter22") }],
            resources: { requests: { "nvidia.com/gpu": "1" } },
          },
        ],
      },
    },
  ]) as [RecordedResource];
  const remediated = async (level: PolicyLevel) => {
    await analyzer.configure(new Map([["gpu-limits-are-whole", { level }]]));
    return analyzer.remediate(broken);
  };

  it("remediations are off by default", async () => {
    await analyzer.configure(new Map());
    expect(await analyzer.remediate(broken)).toBeUndefined();
  });

  it("remediations change what they fix and nothing else, and keep secrets", async () => {
    const changed = await remediated("remediate");
    const expected = structuredClone(broken.properties) as { spec: { containers: object[] } };
    Object.assign(expected.spec.containers[0] as object, {
      resources: { requests: { "nvidia.com/gpu": "1" }, limits: { "nvidia.com/gpu": "1" } },
    });
    expect(changed).toEqual(expected);
    expect(await analyzer.analyze({ ...broken, properties: changed ?? {} })).toEqual(
      (await analyzer.analyze({ ...broken, properties: changed ?? {} })).filter(
        ({ policy }) => policy.name !== "gpu-limits-are-whole",
      ),
    );
  });
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
