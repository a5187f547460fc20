import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const clusterRoleBinding = defineKind({
  group: groups.rbac,
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
  immutable: ["roleRef"],
  readiness: "exists",
});
