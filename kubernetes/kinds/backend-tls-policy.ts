import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const backendTlsPolicy = defineKind({
  group: groups.gateway,
  version: "v1",
  kind: "BackendTLSPolicy",
  plural: "backendtlspolicies",
  scope: "Namespaced",
  readiness: "exists",
});
