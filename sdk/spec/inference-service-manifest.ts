import { kinds } from "../../kubernetes/kinds/index.ts";
import type { InferenceServiceInput } from "./inference-service.ts";
import { manifestContent } from "./manifest-envelope.ts";

/** The kind that manifests have, as the InferenceService design names it. */
export const inferenceServiceKind = {
  apiVersion: kinds.InferenceService.apiVersion,
  kind: "InferenceService",
} as const;

/**
 * What a plan is made from, taken out of an InferenceService manifest: as somebody wrote it, or as
 * `kubectl get` returns it, with what the server added left out. Fields that are null count as absent, as they
 * do for the API server.
 *
 * @param document a parsed YAML or JSON document
 * @throws SpecError for another kind or version, for a missing spec and for unknown top-level fields. Metadata and
 * spec are not looked into: `parseInferenceService` does that.
 */
export function fromManifest(document: unknown): InferenceServiceInput {
  const { apiVersion, kind } = inferenceServiceKind;
  const content = manifestContent(document, { apiVersions: [apiVersion], kind });
  return content as unknown as InferenceServiceInput;
}
