import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const inferenceService = defineKind({
  group: groups.fusioninfer,
  version: "v1alpha1",
  kind: "InferenceService",
  plural: "inferenceservices",
  scope: "Namespaced",
  // The status controller, if it is installed, sets the condition when the whole service is ready.
  readiness: { waitFor: "condition=Available", timeoutSeconds: 3600 },
});
