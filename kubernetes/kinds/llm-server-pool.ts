import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const llmServerPool = defineKind({
  group: groups.llmInstanceGateway,
  version: "v1alpha1",
  kind: "LLMServerPool",
  plural: "llmserverpools",
  scope: "Namespaced",
  readiness: "exists",
});
