import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const namespace = defineKind({
  group: groups.core,
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  scope: "Cluster",
  readiness: "exists",
});
