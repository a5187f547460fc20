import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const agentgatewayPolicy = defineKind({
  group: groups.agentgateway,
  version: "v1alpha1",
  kind: "AgentgatewayPolicy",
  plural: "agentgatewaypolicies",
  scope: "Namespaced",
  readiness: "exists",
});
