import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { groupOf } from "../../kubernetes/values/manifest.ts";
import { crdName } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import { type StructuralSchema, structuralSchema } from "../../sdk/crds/structural-schema.ts";

/**
 * The valid examples of a kind have every field of its schema between them. The API server takes these examples, and so
 * do the schemas that a preview uses: a field that one of them lacks is found here.
 */

const folder = join(import.meta.dirname, "examples");

/** Fields that a rule refuses everywhere, with a message that names their replacement. */
const refused = ["services", "roles[].plugins[].scope.roles"];

/** Fields of a schema that no value has, by path. */
function missing(schema: StructuralSchema, values: readonly unknown[], path = ""): string[] {
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const given = objects.flatMap((value) => (value as Record<string, unknown>)[name] ?? []);
    return given.length === 0 ? [at] : missing(field, given, at);
  });
  if (schema.items !== undefined) return [...fields, ...missing(schema.items, values, `${path}[]`)];
  if (schema.additionalProperties === undefined) return fields;
  return [
    ...fields,
    ...missing(schema.additionalProperties, objects.flatMap(Object.values), `${path}.*`),
  ];
}

const examplesOf = (plural: string, group: string): Array<{ spec?: unknown }> => {
  const valid = join(folder, plural, "valid");
  return readdirSync(valid)
    .map((file) => parse(readFileSync(join(valid, file), "utf8")))
    .filter(({ apiVersion }) => groupOf(apiVersion) === group);
};

it.each(ownKinds.map((kind) => [crdName(kind), kind] as const))(
  "the examples of %s have every field",
  (_, kind) => {
    const spec = structuralSchema(kind.spec);
    const specs = examplesOf(kind.plural, kind.group).map((example) => example.spec);
    expect(missing(spec, specs).filter((path) => !refused.includes(path))).toEqual([]);
  },
);
