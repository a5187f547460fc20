import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const mutatingWebhookConfiguration = defineKind({
  group: groups.admissionRegistration,
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  scope: "Cluster",
  readiness: "exists",
});
