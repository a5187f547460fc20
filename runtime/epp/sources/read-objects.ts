import { z } from "zod";
import { InferencePoolSpec, readablePoolSpec } from "../../../kubernetes/kinds/inference-pool.ts";
import { identityOf, objectMetadata } from "../../../sdk/routing/object-identity.ts";
import { poolReference } from "../../../sdk/routing/read-model-rewrite.ts";
import { poolAnnotations } from "../../../sdk/routing/routed-pool.ts";
import type { ObjectiveObject, PodObject, PoolObject } from "../datastore/pool-objects.ts";

/**
 * Pools, pods and objectives as the picker keeps them. Unknown fields are passed over: the API server has checked
 * them by a schema that may be newer. What cannot be read is an error of that one object.
 */

const poolSchema = z.object({
  metadata: objectMetadata,
  spec: readablePoolSpec.omit({ endpointPickerRef: true }).extend({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    targetPorts: readablePoolSpec.shape.targetPorts.unwrap().min(1),
    appProtocol: InferencePoolSpec.shape.appProtocol,
  }),
});

/** Undefined for a pool that is being deleted. */
export function readPool(object: unknown, group: string): PoolObject | undefined {
  const { metadata, spec } = poolSchema.parse(object);
  if (metadata.deletionTimestamp) return undefined;
  return {
    ...identityOf(metadata),
    group,
    matchLabels: spec.selector.matchLabels,
    targetPorts: spec.targetPorts.map(({ number }) => number),
    appProtocol: spec.appProtocol,
    ...poolAnnotations(metadata.annotations ?? {}),
  };
}

const podSchema = z.object({
  metadata: objectMetadata,
  status: z
    .object({
      podIP: z.string().default(""),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
    })
    .default({ podIP: "" }),
});

/** Annotations that say which of a pod's ports serve. */
const keptAnnotations = ["llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports"];

/** @param readyByDefault of a pod without conditions, as files have them */
export function readPod(object: unknown, readyByDefault = false): PodObject {
  const { metadata, status } = podSchema.parse(object);
  const { conditions } = status;
  const ready = conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return {
    ...identityOf(metadata),
    labels: metadata.labels ?? {},
    annotations: Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([key]) => keptAnnotations.includes(key)),
    ),
    ip: status.podIP,
    ready: conditions ? ready : readyByDefault,
    deleting: Boolean(metadata.deletionTimestamp),
  };
}

const objectiveSchema = z.object({
  metadata: objectMetadata,
  spec: z.object({ poolRef: poolReference, priority: z.number().int().nullish() }),
});

export function readObjective(object: unknown): ObjectiveObject {
  const { metadata, spec } = objectiveSchema.parse(object);
  return { ...identityOf(metadata), poolRef: spec.poolRef, priority: spec.priority ?? 0 };
}
