import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const inferenceService = defineKind({
  group: groups.fusioninfer,
  version: "v1alpha1",
  kind: "InferenceService",
  plural: "inferenceservices",
  scope: "Namespaced",
  // Its status says when the whole service works, where a controller writes it.
  readiness: { waitFor: "condition=Available", timeoutSeconds: 3600 },
});
