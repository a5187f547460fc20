import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const gcpBackendPolicy = defineKind({
  group: groups.gke,
  version: "v1",
  kind: "GCPBackendPolicy",
  plural: "gcpbackendpolicies",
  scope: "Namespaced",
  readiness: "exists",
});
