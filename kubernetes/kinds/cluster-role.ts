import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const clusterRole = defineKind({
  group: groups.rbac,
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
  readiness: "exists",
});
