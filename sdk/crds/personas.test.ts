import { expect, it } from "vitest";
import { factsOf, type PlannedKind, plannedKinds } from "../topology/planned-kinds.ts";
import { personaRoles } from "./personas.ts";

/** Kinds of plans that a platform's admin may not create, and the actor that creates each. */
const ofOthers: Partial<Record<PlannedKind, string>> = {
  Namespace: "who hands out namespaces, with a persona bound in them",
  Queue: "who owns the cluster's GPUs",
  Secret: "who holds the credentials",
  MutatingWebhookConfiguration: "who installs the controllers, as cluster-admin",
  ValidatingAdmissionPolicy: "who installs the controllers, as cluster-admin",
  ValidatingAdmissionPolicyBinding: "who installs the controllers, as cluster-admin",
};

it("a platform's admin may create every planned kind, except the kinds that other actors create", () => {
  const admin = personaRoles().find(({ metadata }) => metadata.name === "inference-platform-admin");
  const may = (kind: PlannedKind) =>
    admin?.rules.some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(factsOf(kind).group) &&
        resources.includes(factsOf(kind).plural) &&
        verbs.includes("create"),
    ) ?? false;
  const missing = (Object.keys(plannedKinds) as PlannedKind[]).filter((kind) => !may(kind));
  expect(missing.sort()).toEqual(Object.keys(ofOthers).sort());
});
