import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const secret = defineKind({
  group: groups.core,
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
  immutable: ["type"],
  readiness: "exists",
});
