import {
  type RewriteVersion,
  rewriteVersions,
} from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { groupOf, type Manifest } from "../../kubernetes/values/manifest.ts";
import { type Problem, SpecError } from "../errors.ts";
import { fromManifest, inferenceServiceKind } from "../spec/inference-service-manifest.ts";
import { llmServerPoolKind } from "../spec/llm-server-pool.ts";
import { llmServiceKind } from "../spec/llm-service.ts";
import {
  modelServingFromManifest,
  modelServingKind,
  modelServingVersions,
} from "../spec/model-serving.ts";
import {
  llmServerPoolFromManifest,
  llmServiceFromManifest,
  modelRewriteFromManifest,
} from "../spec/own-kind-manifests.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { parseModelServing } from "../validate/model-serving.ts";
import { llmServiceSpecKind, modelRewriteSpecKind } from "../validate/models.ts";
import { llmServerPoolSpecKind } from "../validate/pools.ts";
import { parseKind } from "../validate/spec-kind.ts";
import { planParsed } from "./inference-service.ts";
import { planLLMService, planModelRewrite } from "./models/models.ts";
import type { PlanOptions } from "./options.ts";
import { planLLMServerPool } from "./pools/pool.ts";
import { planModelServing } from "./workloads/model-serving.ts";

/** A document of this project's kinds, planned. */
export interface PlannedDocument {
  readonly kind: string;
  readonly name: string;
  /** What it is made of; not the document itself, unless that is all there is. */
  readonly manifests: readonly Manifest[];
}

type Planner = (document: unknown, options: PlanOptions) => Omit<PlannedDocument, "kind">;

const planners: Readonly<Record<string, Planner>> = {
  InferenceService(document, options) {
    const service = parseInferenceService(fromManifest(document), options.podPlugins);
    return { name: service.metadata.name, manifests: planParsed(service, options) };
  },
  LLMServerPool(document, options) {
    const pool = parseKind(llmServerPoolSpecKind, llmServerPoolFromManifest(document));
    const objects = planLLMServerPool(pool, options);
    return {
      name: pool.metadata.name,
      manifests: objects.filter(({ kind }) => kind !== llmServerPoolKind.kind),
    };
  },
  LLMService(document) {
    const service = parseKind(llmServiceSpecKind, llmServiceFromManifest(document));
    return { name: service.metadata.name, manifests: planLLMService(service) };
  },
  ModelServing(document, options) {
    const serving = parseModelServing(modelServingFromManifest(document), options.podPlugins);
    return { name: serving.metadata.name, manifests: planModelServing(serving, options) };
  },
  InferenceModelRewrite(document) {
    const rewrite = parseKind(modelRewriteSpecKind, modelRewriteFromManifest(document));
    const { apiVersion } = document as { apiVersion: RewriteVersion };
    return { name: rewrite.metadata.name, manifests: planModelRewrite(rewrite, apiVersion) };
  },
};

/** What a document may be: kind and versions. */
export const plannableKinds = [
  inferenceServiceKind,
  { kind: modelServingKind.kind, apiVersion: modelServingVersions.join(" or ") },
  llmServerPoolKind,
  llmServiceKind,
  { kind: "InferenceModelRewrite", apiVersion: rewriteVersions.join(" or ") },
] as const;

/** Groups of which every kind is planned here: another kind of theirs is a mistake. */
const ownGroups: readonly string[] = [inferenceServiceKind, llmServiceKind].map(({ apiVersion }) =>
  groupOf(apiVersion),
);

const groupsOf: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  plannableKinds.map(({ kind, apiVersion }) => [kind, apiVersion.split(" or ").map(groupOf)]),
);

/**
 * Whether `planDocument` is to judge an object: it is of one of this project's kinds, in whatever version, or of a
 * group that has no others. Kinds of the same name in other groups, as KServe's InferenceService, are none of ours.
 */
export const isOwnDocument = (object: { apiVersion: string; kind: string }): boolean => {
  const group = groupOf(object.apiVersion);
  const groups = Object.hasOwn(groupsOf, object.kind) ? groupsOf[object.kind] : undefined;
  return ownGroups.includes(group) || groups?.includes(group) === true;
};

/**
 * The objects that a document of one of this project's kinds is made of, in the order of creation. An LLMService and
 * an InferenceModelRewrite are objects already: they come back in the spelling that their version has.
 *
 * @param document a parsed YAML or JSON document
 * @throws SpecError with every problem of it, and for what is of none of the kinds
 */
export function planDocument(document: unknown, options: PlanOptions = {}): PlannedDocument {
  const { kind } = (document ?? {}) as { kind?: unknown };
  const planner =
    typeof kind === "string" && Object.hasOwn(planners, kind) ? planners[kind] : undefined;
  if (planner === undefined) throw new SpecError("manifest", [unknownKind(kind)]);
  return { kind: String(kind), ...planner(document, options) };
}

const unknownKind = (kind: unknown): Problem => ({
  code: "shape",
  path: ["kind"],
  given: kind === undefined ? "is missing" : `is ${JSON.stringify(kind)}`,
  allowed: plannableKinds.map(({ kind }) => kind).join(", "),
  fix: newerKinds.has(kind)
    ? "This is FusionInfer's later API, which describes a model and its runtime separately. Write an InferenceService with one role for each runtime."
    : kind === undefined
      ? "Add kind."
      : "Set kind to one of these.",
});

/** Kinds of FusionInfer's later API. */
const newerKinds: ReadonlySet<unknown> = new Set([
  "Model",
  "RuntimeProfile",
  "InferenceDeployment",
]);
