import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const validatingAdmissionPolicy = defineKind({
  group: groups.admissionRegistration,
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  scope: "Cluster",
  readiness: "exists",
});
