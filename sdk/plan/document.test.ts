import { describe, expect, it } from "vitest";
import { SpecError } from "../errors.ts";
import { planDocument } from "./document.ts";

const poolRef = { name: "llama" };

describe("planDocument", () => {
  it.each([
    [
      "plans the picker and the InferencePool of an LLMServerPool, without the document",
      {
        apiVersion: "inference.x-k8s.io/v1alpha1",
        kind: "LLMServerPool",
        metadata: { name: "llama" },
        spec: { modelServerSelector: { app: "vllm" } },
      },
      [
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
        "Deployment",
        "Service",
        "NetworkPolicy",
        "InferencePool",
      ],
      undefined,
    ],
    [
      "converts an LLMService from the proposal's field names to its Go types' field names",
      {
        apiVersion: "inference.x-k8s.io/v1alpha1",
        kind: "LLMService",
        metadata: { name: "bots", uid: "1" },
        spec: {
          LLMServices: [{ modelName: "npc", targetModels: [{ targetModelName: "v1", weight: 5 }] }],
          poolRef: [poolRef],
        },
      },
      ["LLMService"],
      {
        models: [{ name: "npc", targetModels: [{ name: "v1", weight: 5 }] }],
        poolRef: [{ kind: "LLMServerPool", name: "llama" }],
      },
    ],
    [
      "keeps the version and field names of the proposal's rewrite",
      {
        apiVersion: "inference.networking.x-k8s.io/v1alpha1",
        kind: "InferenceModelRewrite",
        metadata: { name: "canary" },
        spec: { poolRef, rules: [{ targets: [{ modelRewrite: "v1" }] }] },
      },
      ["InferenceModelRewrite"],
      {
        poolRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name: "llama" },
        rules: [{ split: [{ modelRewrite: "v1" }] }],
      },
    ],
  ])("%s", (_, document, kinds, spec) => {
    const { manifests } = planDocument(document);
    expect(manifests.map(({ kind }) => kind)).toEqual(kinds);
    if (spec !== undefined) expect(manifests[0]?.spec).toEqual(spec);
  });

  it.each([
    [
      "a kind that is not planned",
      { kind: "Deployment" },
      'kind: is "Deployment"; allowed: InferenceService, ModelServing, LLMServerPool, LLMService, InferenceModelRewrite. Set kind to one of these.',
    ],
    ["no kind", {}, "kind: is missing"],
    ["nothing", null, "kind: is missing"],
    [
      "another version",
      { apiVersion: "inference.x-k8s.io/v1", kind: "LLMService", spec: {} },
      'apiVersion: is "inference.x-k8s.io/v1"; allowed: inference.x-k8s.io/v1alpha1',
    ],
    [
      "Services instead of labels, as in the proposal's sample",
      {
        apiVersion: "inference.x-k8s.io/v1alpha1",
        kind: "LLMServerPool",
        metadata: { name: "llama-2-pool", services: ["llama-2-vllm"] },
      },
      "metadata.services: is set to Services; allowed: modelServerSelector, with labels that all pods of the pool have.",
    ],
  ])("planDocument refuses a document of %s", (_, document, message) => {
    expect(() => planDocument(document)).toThrow(SpecError);
    expect(() => planDocument(document)).toThrow(message);
  });
});
