import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const serviceEntry = defineKind({
  group: groups.istio,
  version: "v1",
  kind: "ServiceEntry",
  plural: "serviceentries",
  scope: "Namespaced",
  readiness: "exists",
});
