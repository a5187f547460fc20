import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const service = defineKind({
  group: groups.core,
  version: "v1",
  kind: "Service",
  plural: "services",
  scope: "Namespaced",
  immutable: ["spec.clusterIP"],
  readiness: "provider",
});
