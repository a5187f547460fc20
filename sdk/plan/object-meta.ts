import type { ObjectMeta } from "../../kubernetes/values/manifest.ts";
import type { Metadata } from "../spec/inference-service.ts";

/** What every object of one plan shares. */
export interface PlanContext {
  readonly metadata: Metadata;
  /** Label that says what the objects belong to: `label.service` or `label.pool` with the name. */
  readonly owner: Readonly<Record<string, string>>;
  /** Absent where no object is made from a hash of the spec. */
  readonly revision?: Readonly<Record<string, string>>;
}

/**
 * Metadata of a planned object: the user's labels and annotations, then the plan's own. API servers do not keep empty
 * maps of metadata, so a planned one would be a difference at every preview.
 */
export function objectMeta(
  { metadata, owner, revision }: PlanContext,
  name: string,
  labels: Record<string, string> = {},
): ObjectMeta {
  return {
    name,
    namespace: metadata.namespace,
    ...unlessEmpty("labels", { ...metadata.labels, ...owner, ...labels, ...revision }),
    ...unlessEmpty("annotations", { ...metadata.annotations }),
  };
}

const unlessEmpty = (field: "labels" | "annotations", map: Record<string, string>) =>
  Object.keys(map).length > 0 ? { [field]: map } : {};

/** Metadata of an object that belongs to no namespace. */
export function clusterObjectMeta(context: PlanContext, name: string): ObjectMeta {
  const { namespace: _none, ...metadata } = objectMeta(context, name);
  return metadata;
}

/** The metadata with annotations of the plan's own. */
export function annotated(metadata: ObjectMeta, annotations: Record<string, string>): ObjectMeta {
  if (Object.keys(annotations).length === 0) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
}
