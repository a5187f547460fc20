import { randomBytes } from "node:crypto";
import {
  carrySecrets,
  isMap,
  isUnknown,
  type PropertyMap,
  withoutSecrets,
} from "../property-value.ts";
import type { CheckFailure } from "../provider.ts";
import { parseUrn } from "../urn.ts";
import { annotation, kindOfType, SERVER_SET_METADATA } from "./object.ts";

export interface CheckRequest {
  urn: string;
  oldInputs?: PropertyMap;
  newInputs: PropertyMap;
  /** Namespace of objects that set none; `undefined` for cluster-scoped kinds. */
  namespace: string | undefined;
}

/** Whether a resource manages only some fields of an object of another owner: `ConfigMapPatch` and similar types. */
export function isPatch(urn: string, { kind }: PropertyMap): boolean {
  return kindOfType(parseUrn(urn).type).kind === `${String(kind)}Patch`;
}

/** Completes inputs: the namespace, and a missing name, which is the previous one if it was generated. */
export function checkInputs(request: CheckRequest): {
  inputs: PropertyMap;
  failures: CheckFailure[];
} {
  const { urn, oldInputs, newInputs, namespace } = request;
  const plain = withoutSecrets(newInputs);
  const { metadata: given = {} } = plain;
  const failures = structureFailures(urn, plain);
  // Metadata that is unknown as a whole gets its name once it is known.
  if (failures.length > 0 || !isMap(given)) return { inputs: newInputs, failures };
  const metadata = named(given, urn, oldInputs && withoutSecrets(oldInputs));
  if (!metadata.namespace && namespace !== undefined) metadata.namespace = namespace;
  for (const field of SERVER_SET_METADATA) delete metadata[field];
  return { inputs: carrySecrets({ ...plain, metadata }, newInputs), failures: [] };
}

function structureFailures(urn: string, inputs: PropertyMap): CheckFailure[] {
  const { type } = parseUrn(urn);
  const metadata = isMap(inputs.metadata) ? inputs.metadata : {};
  const failures: CheckFailure[] = [];
  const fail = (property: string, reason: string) => failures.push({ property, reason });
  if (/^kubernetes:(helm\.sh|kustomize)/.test(type)) {
    fail(
      "",
      `${type} needs the provider's plugin; use typed resources, yaml.ConfigGroup or the Pulumi CLI`,
    );
    return failures;
  }
  if (typeof inputs.kind === "string" && inputs.kind.endsWith("List") && "items" in inputs) {
    fail("kind", "a list cannot be created; create its items");
  }
  if (!inputs.apiVersion || !inputs.kind) fail("", "apiVersion and kind have to be set");
  if (metadata.name === undefined && isPatch(urn, inputs)) {
    fail("metadata.name", "a Patch resource names the object whose fields it manages");
  }
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    fail("metadata.generateName", "is not supported with server-side apply; set name or neither");
  }
  return failures;
}

function named(given: PropertyMap, urn: string, oldInputs: PropertyMap | undefined): PropertyMap {
  const metadata = { ...given };
  if (metadata.name !== undefined && metadata.name !== "") return metadata;
  const isOurs = oldInputs && annotation(oldInputs, "pulumi.com/autonamed") === "true";
  const before = isOurs && isMap(oldInputs.metadata) ? oldInputs.metadata.name : undefined;
  if (oldInputs !== undefined && before === undefined) return metadata;
  metadata.name = before ?? `${parseUrn(urn).name}-${randomBytes(4).toString("hex")}`;
  const annotations = metadata.annotations ?? {};
  if (!isUnknown(annotations)) {
    metadata.annotations = { ...(annotations as PropertyMap), "pulumi.com/autonamed": "true" };
  }
  return metadata;
}
