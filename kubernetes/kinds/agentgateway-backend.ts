import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const agentgatewayBackend = defineKind({
  group: groups.agentgateway,
  version: "v1alpha1",
  kind: "AgentgatewayBackend",
  plural: "agentgatewaybackends",
  scope: "Namespaced",
  readiness: "exists",
});
