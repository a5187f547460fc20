import { z } from "zod";
import { InferencePoolSpec, readablePoolSpec } from "../../../kubernetes/kinds/inference-pool.ts";
import { roleOf } from "../../../scheduling/endpoints/roles.ts";
import { activePortsAnnotations } from "../../../scheduling/label-keys.ts";
import type { CommandLine } from "../../../sdk/engines/command-line/started-programs.ts";
import { engineIndexIn } from "../../../sdk/engines/containers/engine-container.ts";
import { kvFormatOf } from "../../../sdk/engines/containers/kv-format.ts";
import { identityOf, objectMetadata } from "../../../sdk/routing/object-identity.ts";
import { poolReference } from "../../../sdk/routing/read-model-rewrite.ts";
import { poolAnnotations } from "../../../sdk/routing/routed-pool.ts";
import type { ObjectiveObject, PodObject, PoolObject } from "../datastore/pool-objects.ts";

/**
 * Pools, pods and objectives in the form that the picker keeps. Unknown fields are ignored, because the API server has
 * checked them against a schema that may be newer. An invalid object is an error of that object only.
 */

const poolSchema = z.object({
  metadata: objectMetadata,
  spec: readablePoolSpec.omit({ endpointPickerRef: true }).extend({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    targetPorts: readablePoolSpec.shape.targetPorts.unwrap().min(1),
    appProtocol: InferencePoolSpec.shape.appProtocol,
  }),
});

/** Returns undefined for a pool that is being deleted. */
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

/** Kept in full: which container runs the engine, and its model, may depend on its variables and resources. */
const container = z.looseObject({
  image: z.string().optional(),
  command: z.array(z.string()).nullish(),
  args: z.array(z.string()).nullish(),
});

const podSchema = z.object({
  metadata: objectMetadata,
  spec: z.object({ containers: z.array(container).nullish() }).optional(),
  status: z
    .object({
      podIP: z.string().default(""),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
    })
    .default({ podIP: "" }),
});

/** @param readyByDefault whether a pod without conditions is ready, as in files */
export function readPod(object: unknown, readyByDefault = false): PodObject {
  const { metadata, spec, status } = podSchema.parse(object);
  const labels = metadata.labels ?? {};
  const { conditions } = status;
  const ready = conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return {
    ...identityOf(metadata),
    labels,
    annotations: Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([key]) =>
        activePortsAnnotations.includes(key),
      ),
    ),
    ip: status.podIP,
    ready: conditions ? ready : readyByDefault,
    deleting: Boolean(metadata.deletionTimestamp),
    kvFormat: roleOf(labels) === "" ? undefined : kvFormatIn(spec?.containers ?? []),
  };
}

function kvFormatIn(containers: readonly CommandLine[]): string | undefined {
  const engine = containers[engineIndexIn(containers)];
  return engine && kvFormatOf(engine);
}

const objectiveSchema = z.object({
  metadata: objectMetadata,
  spec: z.object({ poolRef: poolReference, priority: z.number().int().nullish() }),
});

export function readObjective(object: unknown): ObjectiveObject {
  const { metadata, spec } = objectiveSchema.parse(object);
  return { ...identityOf(metadata), poolRef: spec.poolRef, priority: spec.priority ?? 0 };
}
