import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const serviceAccount = defineKind({
  group: groups.core,
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  scope: "Namespaced",
  readiness: "exists",
});
