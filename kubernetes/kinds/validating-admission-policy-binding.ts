import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

export const validatingAdmissionPolicyBinding = defineKind({
  group: groups.admissionRegistration,
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  scope: "Cluster",
  readiness: "exists",
});
