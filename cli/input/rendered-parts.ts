import { isMap } from "../../kubernetes/values/records.ts";
import { SpecError } from "../../sdk/errors.ts";
import { annotation, label } from "../../sdk/names.ts";
import { isOwnDocument } from "../../sdk/plan/document.ts";
import { inferenceServiceKind } from "../../sdk/spec/inference-service-manifest.ts";
import { llmServerPoolKind } from "../../sdk/spec/llm-server-pool.ts";
import { wholeService } from "../../sdk/status/read-inference-service.ts";
import type { InputDocument } from "./input.ts";
import type { InputObject } from "./objects.ts";

/** The label with which each kind marks the objects of its plan. The object of a status has it as well. */
const ownerLabels: Readonly<Record<string, string>> = {
  [inferenceServiceKind.kind]: label.service,
  [llmServerPoolKind.kind]: label.pool,
};

/**
 * Marks the documents that are to be planned. A plan may contain the object that holds the status, such as an
 * InferenceService next to its LeaderWorkerSets: that object is not planned again. If it is alone, as in the output of
 * `kubectl get inferenceservices`, it is planned as its author wrote it.
 */
export function renderedParts(objects: readonly InputObject[]): InputDocument[] {
  const plans = new Set(objects.filter((each) => !isOwnDocument(each.value)).flatMap(ownersOf));
  return objects.map((object) => {
    if (!isOwnDocument(object.value)) return { ...object, isPlanned: false };
    const owner = statusOwner(object);
    if (owner === undefined) return { ...object, isPlanned: true };
    if (plans.has(owner)) return { ...object, isPlanned: false };
    return { ...asWritten(object), isPlanned: true };
  });
}

/** Returns the key of the plan that a status object belongs to: its own label contains its own name. */
function statusOwner({ value }: InputObject): string | undefined {
  const key = ownerLabels[value.kind];
  const { name, namespace, labels } = metadataOf(value);
  if (key === undefined || !isMap(labels) || typeof name !== "string") return undefined;
  return labels[key] === name ? ownerKey(key, namespace, name) : undefined;
}

function ownersOf({ value }: InputObject): string[] {
  const { namespace, labels } = metadataOf(value);
  if (!isMap(labels)) return [];
  return Object.values(ownerLabels).flatMap((key) =>
    typeof labels[key] === "string" ? [ownerKey(key, namespace, labels[key])] : [],
  );
}

const ownerKey = (key: string, namespace: unknown, name: string) =>
  JSON.stringify([key, namespace ?? "default", name]);

/** Returns the object as its author would have written it. */
function asWritten(object: InputObject): InputObject {
  const metadata = metadataOf(object.value);
  const { [ownerLabels[object.value.kind] ?? ""]: _, ...labels } = mapOf(metadata.labels);
  const { [annotation.extensions]: __, ...annotations } = mapOf(metadata.annotations);
  const value = { ...object.value, metadata: { ...metadata, labels, annotations } };
  if (value.kind !== inferenceServiceKind.kind) return { ...object, value };
  try {
    return {
      ...object,
      value: { ...value, spec: wholeService(object.value).spec } as typeof value,
    };
  } catch (error) {
    // The plan reports the object as it is.
    if (error instanceof SpecError) return object;
    throw error;
  }
}

const mapOf = (value: unknown) => (isMap(value) ? value : {});

const metadataOf = ({ metadata }: InputObject["value"]): Record<string, unknown> =>
  isMap(metadata) ? metadata : {};
