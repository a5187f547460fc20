import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const inferenceObjective = defineKind({
  group: groups.llmD,
  version: "v1alpha2",
  kind: "InferenceObjective",
  plural: "inferenceobjectives",
  scope: "Namespaced",
  otherVersions: [
    `${groups.inferenceExperimental}/v1alpha2`,
    `${groups.inferenceExperimental}/v1alpha1`,
  ],
  readiness: "exists",
});
