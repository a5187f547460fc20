import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const llmService = defineKind({
  group: groups.llmInstanceGateway,
  version: "v1alpha1",
  kind: "LLMService",
  plural: "llmservices",
  scope: "Namespaced",
  readiness: "exists",
});
