import type { ObjectMeta } from "../kubernetes/manifest.ts";
import type { Metadata } from "../spec/inference-service.ts";
import { label } from "../topology/names.ts";

/** What every object of one plan shares. */
export interface PlanContext {
  readonly metadata: Metadata;
  readonly revision: string;
}

/** Metadata of a planned object: the user's labels and annotations, then the plan's own. */
export function objectMeta(
  { metadata, revision }: PlanContext,
  name: string,
  labels: Record<string, string> = {},
): ObjectMeta {
  return {
    name,
    namespace: metadata.namespace,
    labels: {
      ...metadata.labels,
      [label.service]: metadata.name,
      ...labels,
      [label.revision]: revision,
    },
    ...(Object.keys(metadata.annotations).length > 0
      ? { annotations: { ...metadata.annotations } }
      : {}),
  };
}
