import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const networkPolicy = defineKind({
  group: groups.networking,
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  scope: "Namespaced",
  readiness: "exists",
});
