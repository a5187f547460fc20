import { describe, expect, it } from "vitest";
import { crdName, customResourceDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { upstreamCrd } from "../../testing/api/upstream-crds.ts";
import { stricter } from "./stricter.ts";

/**
 * Objects that are valid for the InferencePoolImport of the inference extension are valid for the InferencePoolImport
 * of this project.
 */

const kind = ownKinds.find((own) => own.kind === importKind.kind);
if (kind === undefined) throw new Error("no InferencePoolImport among the own kinds");
const ours = customResourceDefinition(kind).spec.versions[0]?.schema as {
  openAPIV3Schema: StructuralSchema;
};

const { spec } = await upstreamCrd(crdName(kind));

describe("the shipped InferencePoolImport", () => {
  it("is at least as strict as the CRD of this project", () => {
    const theirs = spec.versions[0]?.schema.openAPIV3Schema ?? {};
    expect(stricter(ours.openAPIV3Schema, theirs)).toEqual([
      // Both have these: the comparison counts every default as a change.
      "status.controllers[].parents[].parentRef.group: a default",
      "status.controllers[].parents[].parentRef.kind: a default",
    ]);
  });

  it("has the same names and the same version", () => {
    const { names, scope, group, versions } = spec;
    expect(kind).toMatchObject({
      group,
      scope,
      kind: names.kind,
      plural: names.plural,
      shortNames: names.shortNames,
      version: versions[0]?.name,
    });
  });
});
