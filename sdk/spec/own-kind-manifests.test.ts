import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formatProblem, type Path, SpecError } from "../errors.ts";
import {
  canonicalLLMService,
  canonicalModel,
  canonicalModelRewrite,
  writtenPath,
} from "./aliases.ts";
import {
  llmServerPoolFromManifest,
  llmServiceFromManifest,
  modelRewriteFromManifest,
} from "./own-kind-manifests.ts";

function problemsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SpecError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

describe("an LLMService", () => {
  const proposal = `
apiVersion: inference.x-k8s.io/v1alpha1
kind: LLMService
metadata: { name: my-llm-service, uid: 1f0c, creationTimestamp: "2026-01-01T00:00:00Z" }
spec:
  LLMServices:
    - modelName: sql-code-assist
    - modelName: npc-bot
      objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: 50ms }
      targetModels:
        - { targetModelName: npc-bot-v1, weight: 50 }
        - { targetModelName: npc-bot-v2, weight: 50 }
  poolRef: [{ name: llama-2-pool, namespace: null }, { name: gemini-pool }]
status: { conditions: [] }
`;

  it("is read in the spelling of the proposal's sample, without fields that the server added", () => {
    expect(llmServiceFromManifest(parse(proposal))).toEqual({
      metadata: { name: "my-llm-service" },
      spec: {
        models: [
          { name: "sql-code-assist" },
          {
            name: "npc-bot",
            objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
            targetModels: [
              { name: "npc-bot-v1", weight: 50 },
              { name: "npc-bot-v2", weight: 50 },
            ],
          },
        ],
        poolRef: [{ name: "llama-2-pool" }, { name: "gemini-pool" }],
      },
    });
  });

  it("is refused if fields are set in both spellings, with one problem per field", () => {
    const model = {
      name: "a",
      modelName: "a",
      targetModels: [{ name: "b" }, { name: "b", targetModelName: "c" }],
    };
    const document = {
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMService",
      metadata: { name: "s" },
      spec: { models: [{ name: "a" }], LLMServices: [model] },
    };
    expect(problemsOf(() => llmServiceFromManifest(document))).toEqual([
      "LLMServices: is set together with models, which means the same; allowed: either models or LLMServices. Remove LLMServices.",
      "LLMServices[0].modelName: is set together with name, which means the same; allowed: either name or modelName. Remove modelName.",
      "LLMServices[0].targetModels[1].targetModelName: is set together with name, which means the same; allowed: either name or targetModelName. Remove targetModelName.",
    ]);
  });
});

describe("an LLMServerPool", () => {
  it("is read without a spec, so that its rules report missing fields", () => {
    const document = {
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMServerPool",
      metadata: { name: "llama-2-pool", services: ["llama-2-vllm"] },
    };
    expect(llmServerPoolFromManifest(document)).toEqual({
      metadata: { name: "llama-2-pool", services: ["llama-2-vllm"] },
      spec: {},
    });
  });
});

describe("an InferenceModelRewrite", () => {
  const rewrite = (apiVersion: string, field: string) => ({
    apiVersion,
    kind: "InferenceModelRewrite",
    metadata: { name: "canary" },
    spec: { poolRef: { name: "pool" }, rules: [{ [field]: [{ modelRewrite: "v1" }] }] },
  });

  it.each([
    ["inference.networking.x-k8s.io/v1alpha1", "split"],
    ["inference.networking.x-k8s.io/v1alpha1", "targets"],
    ["inference.networking.x-k8s.io/v1alpha2", "targets"],
    ["llm-d.ai/v1alpha2", "targets"],
  ])("is read as %s with %s", (apiVersion, field) => {
    expect(modelRewriteFromManifest(rewrite(apiVersion, field))).toEqual({
      metadata: { name: "canary" },
      spec: { poolRef: { name: "pool" }, rules: [{ targets: [{ modelRewrite: "v1" }] }] },
    });
  });

  it("is refused with targets in both spellings", () => {
    const document = rewrite("llm-d.ai/v1alpha2", "targets");
    Object.assign(document.spec.rules[0] as object, { split: [] });
    expect(problemsOf(() => modelRewriteFromManifest(document))).toEqual([
      "rules[0].split: is set together with targets, which means the same; allowed: either targets or split. Remove split.",
    ]);
  });
});

describe.each([
  ["LLMService", llmServiceFromManifest],
  ["LLMServerPool", llmServerPoolFromManifest],
  ["InferenceModelRewrite", modelRewriteFromManifest],
])("%s", (kind, read) => {
  it("the reader refuses another kind", () => {
    const problems = problemsOf(() => read({ apiVersion: "v1", kind: "Pod", spec: {} }));
    expect(problems).toEqual([
      expect.stringMatching(/^apiVersion: is "v1"; allowed: /),
      `kind: is "Pod"; allowed: ${kind}. Set kind to ${kind}.`,
    ]);
  });

  it.each([["text"], [null], [[]], [{}]])("the reader refuses %j", (document) => {
    expect(problemsOf(() => read(document))).not.toEqual([]);
  });
});

describe("aliases", () => {
  it("an alias is ignored if the canonical spelling is set", () => {
    expect(canonicalModel({ name: "a", modelName: "b" })).toEqual({ name: "a" });
    expect(canonicalModel({ name: null, modelName: "b" })).toEqual({ name: "b" });
  });

  it.each([[null], ["text"], [{ models: "text" }], [{ rules: [null] }], [{ models: [[]] }]])(
    "functions for aliases return %j unchanged",
    (written) => {
      expect(canonicalLLMService(written)).toEqual(written);
      expect(canonicalModelRewrite(written)).toEqual(written);
    },
  );
});

it("the path of a problem has the spelling of its object", () => {
  const written = {
    spec: {
      rules: [{ split: [{ modelRewrite: "v1" }] }, { targets: [] }],
      LLMServices: [{ modelName: "a", targetModels: [{ targetModelName: "b" }] }],
    },
  };
  const paths: Array<[Path, Path]> = [
    [
      ["spec", "rules", 0, "targets", 0, "weight"],
      ["spec", "rules", 0, "split", 0, "weight"],
    ],
    [
      ["spec", "rules", 1, "targets"],
      ["spec", "rules", 1, "targets"],
    ],
    [
      ["spec", "models", 0, "targetModels", 0, "name"],
      ["spec", "LLMServices", 0, "targetModels", 0, "targetModelName"],
    ],
    [
      ["spec", "absent", 7, "name"],
      ["spec", "absent", 7, "name"],
    ],
  ];
  for (const [canonical, spelled] of paths)
    expect(writtenPath(written, canonical)).toEqual(spelled);
});
