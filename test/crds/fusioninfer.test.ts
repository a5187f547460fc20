import { describe, expect, it } from "vitest";
import { customResourceDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import { type StructuralSchema, structuralSchema } from "../../sdk/crds/structural-schema.ts";
import { InferenceServiceSpec } from "../../sdk/spec/inference-service.ts";
import { ComponentStatus } from "../../sdk/status/schemas.ts";
import { fusioninferKind, fusioninferSchema } from "./fusioninfer-schema.fixture.ts";
import { stricter } from "./stricter.ts";

/** What is valid for FusionInfer's InferenceService is valid for this project's, which may take its place. */

const kind = ownKinds.find((own) => own.kind === "InferenceService");
if (kind === undefined) throw new Error("no InferenceService among the own kinds");
const ours = customResourceDefinition(kind).spec.versions[0]?.schema as {
  openAPIV3Schema: StructuralSchema;
};

describe("FusionInfer's schema", () => {
  it("is nowhere less strict than this project's, but for numbers in a status", () => {
    const counts = Object.keys(ComponentStatus.shape).filter((field) => /Replica|Pods/.test(field));
    expect(stricter(ours.openAPIV3Schema, fusioninferSchema).sort()).toEqual([
      ...counts.map((field) => `status.components.*.${field}: minimum`).sort(),
      "status.conditions: maxItems",
      "status.observedGeneration: minimum",
    ]);
  });

  it("is of the same kind", () => {
    expect(kind).toMatchObject(fusioninferKind);
  });
});

it("has every field that a plan reads, at every depth", () => {
  const planned = structuralSchema(InferenceServiceSpec);
  const kept = ours.openAPIV3Schema.properties?.spec;
  // The design's schema takes any object there, and so do the API server's own kinds.
  const anyObject = /^roles\[\]\.(template|httproute|gateway)\./;
  const expected = fieldsOf(planned).filter((path) => !anyObject.test(path));
  expect(fieldsOf(kept)).toEqual(expected);
  expect(expected).toContain("roles[].export.gkeFleet");
});

/** The path of every field of a schema. */
function fieldsOf(schema: StructuralSchema | undefined): string[] {
  const below = (inner: StructuralSchema, path: string): string[] => [
    ...Object.entries(inner.properties ?? {}).flatMap(([name, field]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [at, ...below(field, at)];
    }),
    ...(inner.items === undefined ? [] : below(inner.items, `${path}[]`)),
  ];
  return schema === undefined ? [] : below(schema, "").sort();
}
