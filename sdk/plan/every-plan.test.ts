import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { kindProblems } from "../../testing/api/kind-problems.ts";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import { emptyParts } from "../../testing/samples/empty-parts.ts";
import { decoder, prefiller, service } from "../../testing/samples/sample-service.ts";
import { formatProblem, SpecError } from "../errors.ts";
import { violations } from "../invariant.ts";
import { stackRules } from "../rules/objects/index.ts";
import { readStack } from "../stack/stack.ts";
import { generatedNames, nameCollisions } from "../topology/generated-names.ts";
import { workloadNameBudget } from "../topology/name-budget.ts";
import { planInferenceService } from "./inference-service.ts";

const mandatoryRules = stackRules.filter(({ level }) => level === "mandatory");

const upholds = (name: string, property: (plan: Manifest[]) => void) =>
  it(name, () => {
    fc.assert(
      fc.property(arbitraryService, (input) => property(planInferenceService(input))),
      { numRuns: 100 },
    );
  });

describe("the plan of an arbitrary service", () => {
  upholds("breaks no mandatory rule on stacks", (plan) => {
    expect(violations(mandatoryRules, readStack(plan)).map(formatProblem)).toEqual([]);
  });

  upholds("has unique object names, including those that controllers generate", (plan) => {
    const claims = plan.map((manifest) => ({ owner: manifest, names: generatedNames(manifest) }));
    expect(nameCollisions(claims)).toEqual([]);
  });

  upholds("has workload names within the length limits", (plan) => {
    for (const { kind, metadata, spec } of plan) {
      if (kind !== "LeaderWorkerSet") continue;
      const { replicas, leaderWorkerTemplate } = spec as {
        replicas: number;
        leaderWorkerTemplate: { size: number };
      };
      expect(metadata.name.length).toBeLessThanOrEqual(
        workloadNameBudget(leaderWorkerTemplate.size, replicas),
      );
    }
  });

  upholds("has no empty maps and lists", (plan) => {
    expect(plan.flatMap(emptyParts)).toEqual([]);
  });

  upholds("has only known kinds, with the right version and scope", (plan) => {
    expect(plan.flatMap(kindProblems)).toEqual([]);
  });

  upholds("is plain JSON", (plan) => {
    expect(JSON.parse(JSON.stringify(plan))).toStrictEqual(plan);
  });

  it("models and rewrites change neither pods nor the revision", () => {
    fc.assert(
      fc.property(arbitraryService, (input) => {
        const { models: _, rewrites: __, ...spec } = input.spec;
        const ofPods = ({ kind }: Manifest) =>
          !["InferencePool", "LLMService", "InferenceModelRewrite"].includes(kind);
        expect(planInferenceService(input).filter(ofPods)).toEqual(
          planInferenceService({ ...input, spec }).filter(ofPods),
        );
      }),
    );
  });

  it("minReplicas changes only the PodGroup", () => {
    const input = service([
      prefiller({ replicas: 4, minReplicas: 1 }),
      decoder({ replicas: 4, minReplicas: 1 }),
    ]);
    const [before, after] = [1, 3].map((minReplicas) => {
      const roles = input.spec.roles.map((role) => ({ ...role, minReplicas }));
      return planInferenceService({ ...input, spec: { roles } as typeof input.spec });
    }) as [Manifest[], Manifest[]];
    const changed = after.filter(
      (manifest, at) => JSON.stringify(manifest) !== JSON.stringify(before[at]),
    );
    expect(changed.map(({ kind }) => kind)).toEqual(["PodGroup"]);
  });

  it("planning twice gives the same result", () => {
    fc.assert(
      fc.property(arbitraryService, (input) => {
        expect(JSON.stringify(planInferenceService(input))).toBe(
          JSON.stringify(planInferenceService(structuredClone(input))),
        );
      }),
    );
  });

  it("planning does not change the input", () => {
    fc.assert(
      fc.property(arbitraryService, (input) => {
        const before = structuredClone(input);
        planInferenceService(input);
        expect(input).toEqual(before);
      }),
    );
  });
});

/** Edits that make any service invalid, with the expected path of the problem. */
const mutations: Array<[what: string, path: RegExp, mutate: (input: Spec) => void]> = [
  [
    "negative replicas",
    /^roles,0,replicas$/,
    ({ roles: [first] }) => Object.assign(first, { replicas: -1 }),
  ],
  [
    "fractional replicas",
    /^roles,0,replicas$/,
    ({ roles: [first] }) => Object.assign(first, { replicas: 0.5 }),
  ],
  [
    "a name with capitals",
    /^roles,0,name$/,
    ({ roles: [first] }) => Object.assign(first, { name: "Role" }),
  ],
  [
    "a name that overflows",
    /^roles,0,name$/,
    ({ roles: [first] }) => Object.assign(first, { name: "r".repeat(60) }),
  ],
  ["a name twice", /^roles,\d,name$/, ({ roles }) => roles.push({ ...roles[0] })],
  [
    "two routers",
    /^roles,\d,componentType$/,
    ({ roles }) =>
      roles.push({ name: "ra", componentType: "router" }, { name: "rb", componentType: "router" }),
  ],
  ["no template", /^roles,0,template$/, ({ roles: [first] }) => delete first.template],
  [
    "no container",
    /^roles,0,template,spec,containers$/,
    ({ roles: [first] }) => Object.assign(first, { template: { spec: { containers: [] } } }),
  ],
  [
    "nodeCount 0",
    /^roles,0,multinode,nodeCount$/,
    ({ roles: [first] }) => Object.assign(first, { multinode: { nodeCount: 0 } }),
  ],
  [
    "an unknown field",
    /^roles,0,replica$/,
    ({ roles: [first] }) => Object.assign(first, { replica: 1 }),
  ],
  [
    "a reserved label",
    /^roles,0,template,metadata,labels,fusioninfer.io\/x$/,
    ({ roles: [first] }) =>
      Object.assign(first.template as object, { metadata: { labels: { "fusioninfer.io/x": "" } } }),
  ],
  [
    "another scheduler",
    /^roles,0,template,spec,schedulerName$/,
    ({ roles: [first] }) =>
      Object.assign((first.template as { spec: object }).spec, { schedulerName: "other" }),
  ],
  [
    "task layout with one workload per role",
    /^workload$/,
    (spec) =>
      Object.assign(spec, {
        workload: "perRole",
        schedulingStrategy: { gang: { layout: "task" } },
      }),
  ],
];

interface Spec {
  roles: [Record<string, unknown>, ...Array<Record<string, unknown>>];
}

describe("an arbitrary service with one invalid edit is refused", () => {
  it.each(mutations)("%s", (_what, path, mutate) => {
    fc.assert(
      fc.property(arbitraryService, (input) => {
        const broken = structuredClone(input);
        mutate(broken.spec as unknown as Spec);
        try {
          planInferenceService(broken);
        } catch (error) {
          if (!(error instanceof SpecError)) throw error;
          expect(
            error.problems.map((problem) => problem.path.join(",")).some((at) => path.test(at)),
          ).toBe(true);
          return;
        }
        throw new Error("was planned");
      }),
    );
  });
});
