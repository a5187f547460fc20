import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { z } from "zod";
import { crdName } from "../../sdk/crds/custom-resource-definition.ts";
import { type StructuralSchema, structuralSchema } from "../../sdk/crds/structural-schema.ts";
import { GatewaySpec } from "../../sdk/kubernetes/gateway.ts";
import { HttpRouteSpec } from "../../sdk/kubernetes/http-route.ts";
import { gatewayApiCrds, upstreamCrds } from "./install-crds.ts";
import { upstreamKinds } from "./upstream-kinds.ts";

/** What of a schema decides which objects are accepted, and what they become. */
type Shape = { [keyword: string]: unknown };

interface Crd {
  spec: {
    scope: string;
    names: { kind: string; plural: string; singular: string; shortNames?: string[] };
    versions: Array<{
      name: string;
      storage: boolean;
      subresources?: object;
      additionalPrinterColumns?: Array<{
        name: string;
        type: string;
        jsonPath: string;
        description?: string;
      }>;
      schema: { openAPIV3Schema: StructuralSchema };
    }>;
  };
}

const readCrd = (file: string) => parse(readFileSync(file, "utf8")) as Crd;
const storedVersion = (crd: Crd) => crd.spec.versions.find(({ storage }) => storage);

/** Templates of built-in kinds are passed on as they are. */
const isPassedOn = (field: string) =>
  /^(leaderTemplate|workerTemplate|volumeClaimTemplates)$/.test(field);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Drops words and rules in CEL, and what two spellings of the same schema differ in. */
function shapeOf(schema: unknown): Shape | unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema)
    .filter(([key, value]) => !(key === "description" && typeof value === "string"))
    .filter(([key, value]) => !(key === "minLength" && value === 0))
    .filter(([key]) => !["format", "x-kubernetes-validations", "oneOf"].includes(key))
    .map(([key, value]): [string, unknown] => {
      if (key === "properties" && isRecord(value)) {
        const fields = Object.entries(value).map(([field, inner]) => [
          field,
          isPassedOn(field) ? "passed on" : shapeOf(inner),
        ]);
        return [key, Object.fromEntries(fields)];
      }
      if ((key === "required" || key === "enum") && Array.isArray(value))
        return [key, [...value].sort()];
      if (key === "pattern") return [key, String(value).replaceAll("\\/", "/")];
      return [key, key === "default" ? value : shapeOf(value)];
    });
  return Object.fromEntries(kept);
}

const rulesIn = (schema: unknown): number =>
  isRecord(schema)
    ? Object.entries(schema).reduce(
        (count, [key, value]) =>
          count +
          (key === "x-kubernetes-validations" ? (value as unknown[]).length : rulesIn(value)),
        0,
      )
    : 0;

const upstream = upstreamCrds();

describe.skipIf(upstream === undefined)("stand-in CRDs are as strict as the upstream ones", () => {
  it.each(upstreamKinds.map((kind) => [kind.kind, kind] as const))("%s", (_name, kind) => {
    const ours = readCrd(join(import.meta.dirname, "crds", `${crdName(kind)}.yaml`));
    const theirs = readCrd(join(upstream ?? "", `${kind.group}_${kind.plural}.yaml`));
    const [own, published] = [storedVersion(ours), storedVersion(theirs)];
    expect(own?.name).toBe(published?.name);
    expect(ours.spec.scope).toBe(theirs.spec.scope);
    expect(ours.spec.names).toEqual(theirs.spec.names);
    expect(own?.subresources).toEqual(published?.subresources);
    expect(own?.additionalPrinterColumns).toEqual(
      published?.additionalPrinterColumns?.map(({ description: _, ...column }) => column),
    );
    expect(shapeOf(own?.schema.openAPIV3Schema)).toEqual(
      shapeOf(published?.schema.openAPIV3Schema),
    );
    expect(rulesIn(own?.schema)).toBe(rulesIn(published?.schema));
  });
});

describe("zod schemas of the Gateway API have the fields, bounds and defaults of its CRDs", () => {
  it.each<[string, z.ZodType]>([
    ["gateways", GatewaySpec],
    ["httproutes", HttpRouteSpec],
  ])("%s", async (plural, schema) => {
    const file = join(await gatewayApiCrds(), `gateway.networking.k8s.io_${plural}.yaml`);
    const published = storedVersion(readCrd(file))?.schema.openAPIV3Schema.properties?.spec;
    expect(shapeOf(structuralSchema(schema))).toEqual(shapeOf(published));
  });
});
