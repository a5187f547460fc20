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

/** What is valid for FusionInfer's InferenceService is valid for this project's, which may take its place. */

const kind = ownKinds.find((own) => own.kind === "InferenceService");
if (kind === undefined) throw new Error("no InferenceService among the own kinds");
const ours = customResourceDefinition(kind).spec.versions[0]?.schema as {
  openAPIV3Schema: StructuralSchema;
};

/** Each way in which one schema refuses, or changes, what another takes as it is. */
function stricter(own: StructuralSchema, theirs: StructuralSchema, path = ""): string[] {
  const found = (what: string, is: boolean) => (is ? [`${path}: ${what}`] : []);
  const lowest = (keyword: string) => Number(theirs[keyword] ?? Number.NEGATIVE_INFINITY);
  const highest = (keyword: string) => Number(theirs[keyword] ?? Number.POSITIVE_INFINITY);
  const fields = Object.entries(theirs.properties ?? {});
  return [
    ...found("another type", own.type !== theirs.type),
    ...found("another format", own.format !== undefined && own.format !== theirs.format),
    ...found("another pattern", own.pattern !== undefined && patternOf(own) !== patternOf(theirs)),
    ...found("a default", own.default !== undefined),
    ...found("words missing", theirs.enum?.some((word) => !own.enum?.includes(word)) ?? false),
    ...found("words", own.enum !== undefined && theirs.enum === undefined),
    ...found("required", own.required?.some((f) => !theirs.required?.includes(f)) ?? false),
    ...["minimum", "minLength", "minItems"].flatMap((keyword) =>
      found(keyword, own[keyword] !== undefined && Number(own[keyword]) > lowest(keyword)),
    ),
    ...["maximum", "maxLength", "maxItems"].flatMap((keyword) =>
      found(keyword, own[keyword] !== undefined && Number(own[keyword]) < highest(keyword)),
    ),
    ...found(
      "unknown fields",
      theirs["x-kubernetes-preserve-unknown-fields"] === true &&
        own["x-kubernetes-preserve-unknown-fields"] !== true,
    ),
    ...(own["x-kubernetes-validations"] ?? []).flatMap(({ rule }) =>
      found(`rule ${rule}`, !isAboutOthers(rule, theirs)),
    ),
    ...fields.flatMap(([name, field]) => {
      const counterpart = own.properties?.[name];
      const at = path === "" ? name : `${path}.${name}`;
      return counterpart === undefined ? [`${at}: absent`] : stricter(counterpart, field, at);
    }),
    ...inner(own.items, theirs.items, `${path}[]`),
    ...inner(own.additionalProperties, theirs.additionalProperties, `${path}.*`),
  ];
}

/** A slash may be escaped or not. */
const patternOf = ({ pattern }: StructuralSchema) => String(pattern).replaceAll("\\/", "/");

const inner = (own?: StructuralSchema, theirs?: StructuralSchema, path?: string) =>
  theirs === undefined ? [] : stricter(own ?? {}, theirs, path);

/** Whether a rule holds of every object without a field that the other schema does not have. */
function isAboutOthers(rule: string, theirs: StructuralSchema): boolean {
  const [, field] = /^!has\(self\.(\w+)\) \|\| /.exec(rule) ?? [];
  return field !== undefined && theirs.properties?.[field] === undefined;
}

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
