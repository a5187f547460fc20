import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const gcpRoutingExtension = defineKind({
  group: groups.gke,
  version: "v1",
  kind: "GCPRoutingExtension",
  plural: "gcproutingextensions",
  scope: "Namespaced",
  readiness: "exists",
});
