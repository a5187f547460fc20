import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { customResourceDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { upstreamCrds } from "../harness/install-crds.ts";
import { stricter } from "./stricter.ts";

/** What is valid for the InferencePoolImport that the inference extension ships is valid for this project's. */

const kind = ownKinds.find((own) => own.kind === importKind.kind);
if (kind === undefined) throw new Error("no InferencePoolImport among the own kinds");
const ours = customResourceDefinition(kind).spec.versions[0]?.schema as {
  openAPIV3Schema: StructuralSchema;
};

const upstream = upstreamCrds();

describe.skipIf(upstream === undefined)("the shipped InferencePoolImport", () => {
  const file = "inference.networking.x-k8s.io_inferencepoolimports.yaml";
  const { spec } = upstream === undefined ? {} : parse(readFileSync(join(upstream, file), "utf8"));

  it("is nowhere less strict than this project's", () => {
    expect(stricter(ours.openAPIV3Schema, spec.versions[0].schema.openAPIV3Schema)).toEqual([
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
      version: versions[0].name,
    });
  });
});
