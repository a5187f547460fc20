import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const role = defineKind({
  group: groups.rbac,
  version: "v1",
  kind: "Role",
  plural: "roles",
  scope: "Namespaced",
  readiness: "exists",
});
