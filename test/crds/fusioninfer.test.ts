import { describe, expect, it } from "vitest";
import { z } from "zod";
import { customResourceDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";
import { bare } from "../../sdk/schemas/argument.ts";
import { InferenceServiceSpec } from "../../sdk/spec/inference-service.ts";
import { ComponentStatus } from "../../sdk/status/schemas.ts";
import { fusioninferKind, fusioninferSchema } from "./fusioninfer-schema.fixture.ts";
import { stricter } from "./stricter.ts";

/** Objects valid for FusionInfer's InferenceService are valid for this project's, which may replace it. */

const kind = ownKinds.find((own) => own.kind === "InferenceService");
if (kind === undefined) throw new Error("no InferenceService among the own kinds");
const ours = customResourceDefinition(kind).spec.versions[0]?.schema as {
  openAPIV3Schema: StructuralSchema;
};

describe("FusionInfer's schema", () => {
  it("is at least as strict as the CRD of this project, except for numbers in a status", () => {
    const counts = Object.keys(ComponentStatus.shape).filter((field) => /Replica|Pods/.test(field));
    expect(stricter(ours.openAPIV3Schema, fusioninferSchema).sort()).toEqual([
      ...counts.map((field) => `status.components.*.${field}: minimum`).sort(),
      "status.conditions: maxItems",
      "status.observedGeneration: minimum",
    ]);
  });

  it("has the same kind and names", () => {
    expect(kind).toMatchObject(fusioninferKind);
  });
});

it("has every field that a plan reads, at every depth", () => {
  const kept = ours.openAPIV3Schema.properties?.spec;
  // The design's schema takes any object there, and so do the API server's own kinds.
  const anyObject = /^roles\[\]\.(template|httproute|gateway)\./;
  const expected = [...new Set(fieldsOfSpec(InferenceServiceSpec))]
    .filter((path) => !anyObject.test(path))
    .sort();
  expect(fieldsOf(kept)).toEqual(expected);
  expect(expected).toContain("roles[].export.gkeFleet");
});

/** The path of every field that a spec may have, in whichever variant of a union. */
function fieldsOfSpec(schema: z.ZodType, path = ""): string[] {
  const known = bare(schema);
  if (known instanceof z.ZodArray) return fieldsOfSpec(known.element as z.ZodType, `${path}[]`);
  if (known instanceof z.ZodUnion)
    return known.options.flatMap((option) => fieldsOfSpec(option as z.ZodType, path));
  if (!(known instanceof z.ZodObject)) return [];
  return Object.entries(known.shape).flatMap(([name, field]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...fieldsOfSpec(field as z.ZodType, at)];
  });
}

/** The path of every field of a structural schema. */
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
