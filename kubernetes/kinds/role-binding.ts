import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const roleBinding = defineKind({
  group: groups.rbac,
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
  immutable: ["roleRef"],
  readiness: "exists",
});
