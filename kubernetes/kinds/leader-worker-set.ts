import { z } from "zod";
import { conditions, int32, intOrString, podTemplate } from "./field-types.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/**
 * LeaderWorkerSet, leaderworkerset.x-k8s.io/v1: groups of one leader pod and its workers.
 * Fields, defaults and limits equal the upstream CRD's (kubernetes-sigs/lws,
 * api/leaderworkerset/v1/leaderworkerset_types.go).
 */
/**
 * Returns an expression that holds if at least `minimum` groups of a LeaderWorkerSet are ready and every group has the
 * current template.
 *
 * A pending group counts as updated, so the expression holds for a partial start. It does not hold for a stalled
 * rollout, in which ready groups still run the old template. It uses `>` because the provider splits an expression at
 * `>=` (pulumi-kubernetes, pkg/jsonpath). The provider checks observedGeneration itself.
 */
export function groupsReady(minimum: number): string {
  return `jsonpath={$[?@.readyReplicas > ${minimum - 1} && @.updatedReplicas == @.replicas]}`;
}

export const leaderWorkerSet = defineKind({
  group: groups.leaderWorkerSet,
  version: "v1",
  kind: "LeaderWorkerSet",
  plural: "leaderworkersets",
  scope: "Namespaced",
  // The webhook refuses to add, remove or resize sub-groups; StatefulSets refuse new claim templates.
  immutable: [
    "spec.leaderWorkerTemplate.subGroupPolicy",
    "spec.leaderWorkerTemplate.volumeClaimTemplates",
  ],
  // The old pods occupy the accelerators that the new ones need.
  replace: "delete-first",
  // Pulling an image of tens of gigabytes and loading a model takes longer than the usual ten minutes.
  readiness: { waitFor: groupsReady(1), timeoutSeconds: 3600 },
});

export const restartPolicies = [
  "RecreateGroupOnPodRestart",
  "RecreateGroupAfterStart",
  "None",
  "Default",
] as const;
export const startupPolicies = ["LeaderCreated", "LeaderReady"] as const;
export const subdomainPolicies = ["Shared", "UniquePerReplica"] as const;

export const SubGroupPolicy = z.strictObject({
  subGroupPolicyType: z
    .enum(["LeaderWorker", "LeaderExcluded"])
    .default("LeaderWorker")
    .describe("Whether the leader belongs to the first sub-group or to none."),
  subGroupSize: int32
    .optional()
    .describe(
      "Pods per sub-group. It must divide the group's size, or its size without the leader.",
    ),
});

export const LeaderWorkerTemplate = z.strictObject({
  size: int32.default(1).describe("Pods per group, including the leader."),
  leaderTemplate: podTemplate
    .optional()
    .describe("Template of the leader. Default: the workers' template."),
  workerTemplate: podTemplate.describe("Template of the workers."),
  restartPolicy: z
    .enum(restartPolicies)
    .default("RecreateGroupOnPodRestart")
    .describe(
      "Action when a pod of a group restarts. RecreateGroupAfterStart recreates the group only once all its pods have started.",
    ),
  subGroupPolicy: SubGroupPolicy.optional().describe(
    "Sub-groups of a group. They cannot be added, removed or resized later.",
  ),
  volumeClaimTemplates: z
    .array(z.looseObject({}))
    .optional()
    .describe("PersistentVolumeClaims, one of each per pod. Immutable."),
  persistentVolumeClaimRetentionPolicy: z
    .strictObject({ whenDeleted: z.string().optional(), whenScaled: z.string().optional() })
    .optional()
    .describe("Whether claims are kept: Retain or Delete."),
});

export const RollingUpdateConfiguration = z
  .strictObject({
    partition: int32.default(0).describe("Index below which groups keep the old template."),
    maxUnavailable: intOrString
      .default(1)
      .describe("Groups that may be unavailable during an update, as a count or a percentage."),
    maxSurge: intOrString
      .default(0)
      .describe("Groups above `replicas` during an update, as a count or a percentage."),
  })
  .describe(
    "Settings of a rolling update. Always set it: the controller fails on a LeaderWorkerSet without it.",
  );

export const RolloutStrategy = z
  .strictObject({
    type: z.enum(["RollingUpdate"]).default("RollingUpdate"),
    rollingUpdateConfiguration: RollingUpdateConfiguration.optional(),
  })
  .meta({ required: ["type"] });

export const NetworkConfig = z.strictObject({
  subdomainPolicy: z
    .enum(subdomainPolicies)
    .describe("One headless Service for the set, or one for each group."),
});

export const LeaderWorkerSetSpec = z.strictObject({
  replicas: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1)
    .meta({ format: "int32" })
    .describe("Number of groups."),
  startupPolicy: z
    .enum(startupPolicies)
    .default("LeaderCreated")
    .describe("Whether workers are created together with the leader or once it is ready."),
  rolloutStrategy: RolloutStrategy.optional().describe(
    "How groups are updated to a changed template.",
  ),
  networkConfig: NetworkConfig.optional(),
  leaderWorkerTemplate: LeaderWorkerTemplate,
});

export const LeaderWorkerSetStatus = z.strictObject({
  replicas: int32.optional().describe("Number of existing groups."),
  readyReplicas: int32.optional().describe("Number of groups whose pods are all ready."),
  updatedReplicas: int32.optional().describe("Number of groups that run the current template."),
  observedGeneration: z.int().meta({ format: "int64" }).optional(),
  hpaPodSelector: z.string().optional().describe("Selector of the leader pods, for autoscaling."),
  conditions: conditions.optional().describe("Available, Progressing, UpdateInProgress."),
});

export type LeaderWorkerSetStatus = z.infer<typeof LeaderWorkerSetStatus>;
