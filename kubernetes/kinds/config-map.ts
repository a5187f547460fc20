import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const configMap = defineKind({
  group: groups.core,
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
  readiness: "exists",
});
