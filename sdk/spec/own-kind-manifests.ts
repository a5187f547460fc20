import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { type Path, type Problem, SpecError } from "../errors.ts";
import { canonicalLLMService, canonicalModelRewrite, type Spelling, spellings } from "./aliases.ts";
import type { MetadataInput } from "./inference-service.ts";
import { type LLMServerPoolSpecInput, llmServerPoolKind } from "./llm-server-pool.ts";
import { type LLMServiceSpecInput, llmServiceKind } from "./llm-service.ts";
import { type KindOfManifest, type ManifestContent, manifestContent } from "./manifest-envelope.ts";
import type { ModelRewriteSpecInput } from "./model-rewrite.ts";

/**
 * Manifests of pools, LLM services and model rewrites, handwritten or from `kubectl get`, with their spellings
 * replaced by the canonical ones. As in `fromManifest`, fields that the server added are removed, null fields count as
 * absent, and metadata and spec are not validated.
 */
/** Object as written, whose metadata and spec have not been validated yet. */
export interface WrittenObject<Spec> {
  readonly metadata: MetadataInput;
  readonly spec: Spec;
}

/**
 * Returns metadata and spec of an LLMService manifest.
 *
 * @throws SpecError if the document is not an LLMService, or contains a field in both its spellings
 */
export function llmServiceFromManifest(document: unknown): WrittenObject<LLMServiceSpecInput> {
  const content = manifestContent(document, kindOf(llmServiceKind));
  refuseBothSpellings(llmServiceKind.kind, content, [
    ...bothSpellings(content.spec, [], spellings.llmService),
    ...eachOf(content.spec, Object.values(spellings.llmService), [], (model, path) => [
      ...bothSpellings(model, path, spellings.model),
      ...eachOf(model, ["targetModels"], path, (target, at) =>
        bothSpellings(target, at, spellings.targetModel),
      ),
    ]),
  ]);
  return written(content, canonicalLLMService(content.spec));
}

/**
 * Returns metadata and spec of an LLMServerPool manifest. It accepts a pool with `services`, and a pool without a spec,
 * since the proposal's sample has `services` in its metadata: the rules of a pool reject both with a fix.
 *
 * @throws SpecError if the document is not an LLMServerPool
 */
export function llmServerPoolFromManifest(
  document: unknown,
): WrittenObject<LLMServerPoolSpecInput> {
  const content = manifestContent(withSpec(document), kindOf(llmServerPoolKind));
  return written(content, content.spec);
}

/**
 * Returns metadata and spec of an InferenceModelRewrite manifest.
 *
 * @throws SpecError if the document is not an InferenceModelRewrite, or contains a field in both its spellings
 */
export function modelRewriteFromManifest(document: unknown): WrittenObject<ModelRewriteSpecInput> {
  const kind = "InferenceModelRewrite";
  const content = manifestContent(document, { apiVersions: rewriteVersions, kind });
  refuseBothSpellings(
    kind,
    content,
    eachOf(content.spec, ["rules"], [], (rule, path) =>
      bothSpellings(rule, path, spellings.rewriteRule),
    ),
  );
  return written(content, canonicalModelRewrite(content.spec));
}

const kindOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }): KindOfManifest => ({
  apiVersions: [apiVersion],
  kind,
});

const written = <Spec>({ metadata }: ManifestContent, spec: unknown) =>
  ({ metadata, spec }) as unknown as WrittenObject<Spec>;

/** Adds an empty spec to a document without one, so that the rules report missing fields. */
const withSpec = (document: unknown): unknown =>
  isMap(document) ? { ...document, spec: document.spec ?? {} } : document;

function refuseBothSpellings(
  kind: string,
  { metadata }: ManifestContent,
  problems: Problem[],
): void {
  if (problems.length === 0) return;
  const { name } = metadata;
  throw new SpecError(typeof name === "string" ? `${kind} "${name}"` : kind, problems);
}

function bothSpellings(value: unknown, path: Path, { field, alias }: Spelling): Problem[] {
  if (!isMap(value) || value[field] === undefined || value[alias] === undefined) return [];
  return [
    {
      code: "conflict",
      path: [...path, alias],
      given: `is set together with ${field}, which means the same`,
      allowed: `either ${field} or ${alias}`,
      fix: `Remove ${alias}.`,
    },
  ];
}

/** Returns the problems of entries in lists, if the value contains the lists. */
function eachOf(
  value: unknown,
  fields: readonly string[],
  path: Path,
  problemsOf: (entry: unknown, path: Path) => Problem[],
): Problem[] {
  if (!isMap(value)) return [];
  return fields.flatMap((field) => {
    const list = value[field];
    return Array.isArray(list)
      ? list.flatMap((entry, at) => problemsOf(entry, [...path, field, at]))
      : [];
  });
}
