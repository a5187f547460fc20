import { z } from "zod";
import { conditions, count, objectName, timestamp } from "../../kubernetes/kinds/field-types.ts";
import { maxRecycledPods } from "../spec/recycling.ts";

/** Status of this project's kinds, as the status controller writes it and `pulumi-inference status` shows it. */

/** Phases of a role (InferenceService design, `ComponentPhase`). */
export const componentPhases = ["Pending", "Deploying", "Running", "Failed", "Unknown"] as const;
export type ComponentPhase = (typeof componentPhases)[number];

const observedGeneration = z
  .int()
  .min(0)
  .meta({ format: "int64" })
  .optional()
  .describe("Generation of the spec that the status describes.");

export const ComponentStatus = z.strictObject({
  desiredReplicas: count.describe("Replicas in the spec."),
  readyReplicas: count.describe("Replicas whose pods are all ready."),
  nodesPerReplica: count.describe("Pods per replica."),
  totalPods: count.describe("Pods of all replicas."),
  readyPods: count.describe("Ready pods, including pods of incomplete replicas."),
  phase: z.enum(componentPhases),
  lastUpdateTime: timestamp().optional().describe("Time of the last change of the other fields."),
});

const RecycledPod = z.strictObject({
  name: objectName,
  uid: z.string().max(64),
  time: timestamp().describe("Time of the decision."),
});

export const InferenceServiceStatus = z.strictObject({
  observedGeneration,
  conditions: conditions.max(8).optional(),
  components: z
    .record(z.string(), ComponentStatus)
    .optional()
    .describe("Status of each role, by role name."),
  recycledPods: z
    .array(RecycledPod)
    .max(maxRecycledPods)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"] })
    .optional()
    .describe(
      "Pods that the status controller deleted in the last hour, as `resilience.recycle` allows.",
    ),
});

const poolStatus = z.strictObject({
  namespace: z.string(),
  name: objectName,
  conditions: conditions.max(8),
});

export const LLMServiceStatus = z.strictObject({
  observedGeneration,
  conditions: conditions.max(8).optional(),
  pools: z
    .array(poolStatus)
    .max(32)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["namespace", "name"] })
    .optional()
    .describe("Status of the service on each of its pools."),
});

export const LLMServerPoolStatus = z.strictObject({
  observedGeneration,
  conditions: conditions.max(8).optional(),
  endpoints: z
    .strictObject({
      known: count.describe("Number of pods that the pool selects."),
      ready: count.describe("Number of these pods that are ready."),
    })
    .optional(),
});

export const ModelRewriteStatus = z.strictObject({
  observedGeneration,
  conditions: conditions.max(8).optional(),
});

export type RecycledPod = z.infer<typeof RecycledPod>;
export type ComponentStatus = z.infer<typeof ComponentStatus>;
export type InferenceServiceStatus = z.infer<typeof InferenceServiceStatus>;
export type LLMServiceStatus = z.infer<typeof LLMServiceStatus>;
export type LLMServerPoolStatus = z.infer<typeof LLMServerPoolStatus>;
export type ModelRewriteStatus = z.infer<typeof ModelRewriteStatus>;
