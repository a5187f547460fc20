import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const podDisruptionBudget = defineKind({
  group: groups.policy,
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  scope: "Namespaced",
  readiness: "exists",
});
