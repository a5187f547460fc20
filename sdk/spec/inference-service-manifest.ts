import { kinds } from "../../kubernetes/kinds/index.ts";
import type { InferenceServiceInput } from "./inference-service.ts";
import { manifestContent } from "./manifest-envelope.ts";

/** API version and kind of InferenceService manifests, as in the InferenceService design. */
export const inferenceServiceKind = {
  apiVersion: kinds.InferenceService.apiVersion,
  kind: "InferenceService",
} as const;

/**
 * Returns name, namespace and spec of an InferenceService manifest, as input of a plan. The manifest may be handwritten
 * or printed by `kubectl get`; fields that the server added are removed. Null fields count as absent, as in the API
 * server.
 *
 * @param document a parsed YAML or JSON document
 * @throws SpecError for another kind or version, for a missing spec and for unknown top-level fields. It does not check
 * metadata and spec: `parseInferenceService` does.
 */
export function fromManifest(document: unknown): InferenceServiceInput {
  const { apiVersion, kind } = inferenceServiceKind;
  const content = manifestContent(document, { apiVersions: [apiVersion], kind });
  return content as unknown as InferenceServiceInput;
}
