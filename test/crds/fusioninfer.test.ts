import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { customResourceDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import { type StructuralSchema, structuralSchema } from "../../sdk/crds/structural-schema.ts";
import { InferenceServiceSpec } from "../../sdk/spec/inference-service.ts";
import { ComponentStatus } from "../../sdk/status/schemas.ts";
import { upstreamCrds } from "../harness/install-crds.ts";
import { stricter } from "./stricter.ts";

/** What is valid for FusionInfer's InferenceService is valid for this project's, which may take its place. */

const kind = ownKinds.find((own) => own.kind === "InferenceService");
if (kind === undefined) throw new Error("no InferenceService among the own kinds");
const ours = customResourceDefinition(kind).spec.versions[0]?.schema as {
  openAPIV3Schema: StructuralSchema;
};

const upstream = upstreamCrds();

describe.skipIf(upstream === undefined)("FusionInfer's schema", () => {
  const read = () =>
    parse(readFileSync(join(upstream ?? "", "fusioninfer.io_inferenceservices.yaml"), "utf8"));

  it("is nowhere less strict than this project's, but for numbers in a status", () => {
    const theirs = read().spec.versions[0].schema.openAPIV3Schema as StructuralSchema;
    const counts = Object.keys(ComponentStatus.shape).filter((field) => /Replica|Pods/.test(field));
    expect(stricter(ours.openAPIV3Schema, theirs).sort()).toEqual([
      ...counts.map((field) => `status.components.*.${field}: minimum`).sort(),
      "status.conditions: maxItems",
      "status.observedGeneration: minimum",
    ]);
  });

  it("is of the same kind", () => {
    const crd = read();
    const { names, scope, group } = crd.spec;
    expect(kind).toMatchObject({ group, scope, kind: names.kind, plural: names.plural });
    expect(crd.spec.versions.map(({ name }: { name: string }) => name)).toEqual([kind.version]);
  });
});

it("has every field that a plan reads", () => {
  const fields = (schema: StructuralSchema | undefined, ...path: string[]): string[] => {
    const at = path.reduce(
      (inner, step) => (step === "[]" ? inner?.items : inner?.properties?.[step]),
      schema,
    );
    return Object.keys(at?.properties ?? {}).sort();
  };
  const planned = structuralSchema(InferenceServiceSpec);
  const kept = ours.openAPIV3Schema.properties?.spec;
  for (const path of [
    [],
    ["roles", "[]"],
    ["roles", "[]", "multinode"],
    ["schedulingStrategy"],
    ["schedulingStrategy", "gang"],
    ["models", "[]"],
    ["rewrites", "[]"],
  ]) {
    expect(fields(kept, ...path), path.join(".")).toEqual(fields(planned, ...path));
  }
});
