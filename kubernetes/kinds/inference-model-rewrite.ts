import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const inferenceModelRewrite = defineKind({
  group: groups.llmD,
  version: "v1alpha2",
  kind: "InferenceModelRewrite",
  plural: "inferencemodelrewrites",
  scope: "Namespaced",
  otherVersions: [
    `${groups.inferenceExperimental}/v1alpha2`,
    // Spells `targets` as `split`.
    `${groups.inferenceExperimental}/v1alpha1`,
  ],
  readiness: "exists",
});
