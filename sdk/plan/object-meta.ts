import type { ObjectMeta } from "../../kubernetes/values/manifest.ts";
import type { Metadata } from "../spec/inference-service.ts";

/** Metadata shared by all objects of one plan. */
export interface PlanContext {
  readonly metadata: Metadata;
  /** Label with the owner of the objects: `label.service` or `label.pool`, with the owner's name. */
  readonly owner: Readonly<Record<string, string>>;
}

/**
 * Returns the metadata of a planned object: the user's labels and annotations, then those that the plan sets. Empty
 * maps are left out, because API servers drop them and every preview would show a difference.
 */
export function objectMeta(
  { metadata, owner }: PlanContext,
  name: string,
  labels: Record<string, string> = {},
): ObjectMeta {
  return {
    name,
    namespace: metadata.namespace,
    ...unlessEmpty("labels", { ...metadata.labels, ...owner, ...labels }),
    ...unlessEmpty("annotations", { ...metadata.annotations }),
  };
}

const unlessEmpty = (field: "labels" | "annotations", map: Record<string, string>) =>
  Object.keys(map).length > 0 ? { [field]: map } : {};

/** Returns the metadata of a cluster-scoped object. */
export function clusterObjectMeta(context: PlanContext, name: string): ObjectMeta {
  const { namespace: _none, ...metadata } = objectMeta(context, name);
  return metadata;
}

/** Returns the metadata with further annotations. */
export function annotated(metadata: ObjectMeta, annotations: Record<string, string>): ObjectMeta {
  if (Object.keys(annotations).length === 0) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
}
