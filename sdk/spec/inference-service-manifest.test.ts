import { describe, expect, it } from "vitest";
import { formatProblem, SpecError } from "../errors.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { fromManifest } from "./inference-service-manifest.ts";

const written = () => ({
  apiVersion: "fusioninfer.io/v1alpha1",
  kind: "InferenceService",
  metadata: { name: "qwen", namespace: "models", annotations: { team: "serving" } },
  spec: {
    roles: [
      {
        name: "inference",
        componentType: "worker",
        replicas: 2,
        template: {
          spec: {
            containers: [{ name: "vllm", image: "vllm/vllm-openai", args: ["--model", "m"] }],
          },
        },
      },
    ],
  },
});

function problemsOf(document: unknown): string[] {
  try {
    fromManifest(document);
  } catch (error) {
    if (error instanceof SpecError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

it("fromManifest returns metadata and spec as written", () => {
  const { metadata, spec } = written();
  expect(fromManifest(written())).toEqual({ metadata, spec });
});

it("fromManifest removes fields that the API server and kubectl add", () => {
  const fetched = {
    ...written(),
    metadata: {
      ...written().metadata,
      annotations: {
        team: "serving",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
      },
      creationTimestamp: "2026-01-01T00:00:00Z",
      finalizers: ["fusioninfer.io/cleanup"],
      generation: 3,
      managedFields: [{ manager: "kubectl" }],
      ownerReferences: [],
      resourceVersion: "81",
      uid: "7f0c",
    },
    status: { phase: "Running" },
  };
  expect(fromManifest(fetched)).toEqual(fromManifest(written()));
});

it("fromManifest treats null fields as absent at any depth", () => {
  const document = structuredClone(written()) as Record<string, unknown> &
    ReturnType<typeof written>;
  Object.assign(document, { status: null });
  Object.assign(document.spec, { workload: null, schedulingStrategy: null });
  const template = document.spec.roles[0]?.template as Record<string, unknown>;
  Object.assign(template, { metadata: { creationTimestamp: null } });
  const service = parseInferenceService(fromManifest(document));
  expect(service.spec.workload).toBe("auto");
  expect(service.spec.roles[0]).toMatchObject({ template: { metadata: {} } });
  expect(JSON.stringify(service)).not.toContain("null");
});

describe("refuses", () => {
  it.each([
    [
      "another version",
      { apiVersion: "fusioninfer.io/v1" },
      'apiVersion: is "fusioninfer.io/v1"; allowed: fusioninfer.io/v1alpha1.',
    ],
    ["another kind", { kind: "Deployment" }, 'kind: is "Deployment"; allowed: InferenceService.'],
    ["a missing kind", { kind: null }, "kind: is missing; allowed: InferenceService."],
    ["a missing spec", { spec: undefined }, "spec: is missing; allowed: an object."],
    ["an unknown field", { sepc: {} }, 'sepc: unknown field "sepc"; did you mean spec?'],
  ])("%s", (_, change, problem) => {
    expect(problemsOf({ ...written(), ...change })).toEqual([expect.stringContaining(problem)]);
  });

  it("several problems in one error", () => {
    expect(problemsOf({ kind: "List" })).toHaveLength(3);
  });

  it.each([["text"], [7], [null], [[]]])("%j, which is not an object", (document) => {
    expect(problemsOf(document)).not.toEqual([]);
  });

  it("unknown metadata only in parseInferenceService, with its path", () => {
    const document = { ...written(), metadata: { name: "qwen", lables: {} } };
    expect(() => parseInferenceService(fromManifest(document))).toThrow("metadata.lables");
  });
});
