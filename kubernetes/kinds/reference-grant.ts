import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const referenceGrant = defineKind({
  group: groups.gateway,
  version: "v1beta1",
  kind: "ReferenceGrant",
  plural: "referencegrants",
  scope: "Namespaced",
  readiness: "exists",
});
