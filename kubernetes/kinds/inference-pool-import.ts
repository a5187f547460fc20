import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const inferencePoolImport = defineKind({
  group: groups.inferenceExperimental,
  version: "v1alpha1",
  kind: "InferencePoolImport",
  plural: "inferencepoolimports",
  scope: "Namespaced",
  readiness: "exists",
});
