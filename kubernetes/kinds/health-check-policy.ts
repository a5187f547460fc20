import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const healthCheckPolicy = defineKind({
  group: groups.gke,
  version: "v1",
  kind: "HealthCheckPolicy",
  plural: "healthcheckpolicies",
  scope: "Namespaced",
  readiness: "exists",
});
