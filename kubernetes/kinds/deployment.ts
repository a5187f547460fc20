import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const deployment = defineKind({
  group: groups.apps,
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
  immutable: ["spec.selector"],
  readiness: "provider",
});
