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
import { parseKind } from "../validate/spec-kind.ts";
import {
  llmServerPoolSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
} from "../validate/spec-kinds.ts";
import { planParsed } from "./inference-service.ts";
import { planLLMService, planModelRewrite } from "./models/models.ts";
import type { PlanOptions } from "./options.ts";
import { planLLMServerPool } from "./pools/pool.ts";
import { planModelServing } from "./workloads/model-serving.ts";

export interface PlannedDocument {
  readonly kind: string;
  readonly name: string;
  /** Planned objects. The document itself is included only if it is the only object. */
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

/** Kinds and versions that `planDocument` accepts. */
export const plannableKinds = [
  inferenceServiceKind,
  { kind: modelServingKind.kind, apiVersion: modelServingVersions.join(" or ") },
  llmServerPoolKind,
  llmServiceKind,
  { kind: "InferenceModelRewrite", apiVersion: rewriteVersions.join(" or ") },
] as const;

/** API groups that contain only this project's kinds. Any other kind of these groups is a mistake. */
const ownGroups: readonly string[] = [inferenceServiceKind, llmServiceKind].map(({ apiVersion }) =>
  groupOf(apiVersion),
);

const groupsOf: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  plannableKinds.map(({ kind, apiVersion }) => [kind, apiVersion.split(" or ").map(groupOf)]),
);

/**
 * Reports whether an object is of one of this project's kinds, in any version, or of an API group that contains only
 * this project's kinds. Kinds with the same name in other groups, such as KServe's InferenceService, do not count.
 */
export const isOwnDocument = (object: { apiVersion: string; kind: string }): boolean => {
  const group = groupOf(object.apiVersion);
  const groups = Object.hasOwn(groupsOf, object.kind) ? groupsOf[object.kind] : undefined;
  return ownGroups.includes(group) || groups?.includes(group) === true;
};

/**
 * Returns the objects planned for a document of one of this project's kinds, in the order of creation. For an
 * LLMService or an InferenceModelRewrite it returns the object itself, with the field names of its version.
 *
 * @param document a parsed YAML or JSON document
 * @throws SpecError with every problem of the document, and for a document of another kind
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
