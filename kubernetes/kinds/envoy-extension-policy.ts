import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const envoyExtensionPolicy = defineKind({
  group: groups.envoyGateway,
  version: "v1alpha1",
  kind: "EnvoyExtensionPolicy",
  plural: "envoyextensionpolicies",
  scope: "Namespaced",
  readiness: "exists",
});
