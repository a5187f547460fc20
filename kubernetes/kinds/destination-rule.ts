import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const destinationRule = defineKind({
  group: groups.istio,
  version: "v1",
  kind: "DestinationRule",
  plural: "destinationrules",
  scope: "Namespaced",
  readiness: "exists",
});
