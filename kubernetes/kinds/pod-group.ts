import { z } from "zod";
import {
  atomicList,
  count,
  dnsSubdomain,
  int32,
  labelSelector,
  resourceList,
  timestamp,
} from "./field-types.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/**
 * PodGroup, scheduling.volcano.sh/v1beta1: pods that Volcano's scheduler starts together.
 * Fields, defaults and bounds are those of the upstream CRD (volcano-sh/volcano,
 * staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/types.go). It has no status subresource.
 */
export const podGroup = defineKind({
  group: groups.volcano,
  version: "v1beta1",
  kind: "PodGroup",
  plural: "podgroups",
  scope: "Namespaced",
  // Its minResources stay reserved in the queue while it exists.
  replace: "delete-first",
  // The phase is Running while replicas are missing and Unknown after a node is lost, and pods come after the PodGroup.
  readiness: "exists",
});

const networkTopology = z.strictObject({
  mode: z.enum(["hard", "soft"]).default("hard").describe("Whether the tier is a must or a wish."),
  highestTierAllowed: z
    .int()
    .min(0)
    .optional()
    .describe("Highest topology tier that the pods may span. Not together with highestTierName."),
  highestTierName: z.string().max(253).optional().describe("The same, by the tier's name."),
});

const subGroupPolicy = z.strictObject({
  name: z.string().max(253).optional(),
  labelSelector: labelSelector.optional().describe("Pods that the policy is for."),
  matchLabelKeys: atomicList(z.string())
    .optional()
    .describe(
      "Pods with equal values of these labels form one subgroup. Without keys no pod matches.",
    ),
  subGroupSize: int32.min(1).default(1).describe("Pods of a subgroup that start together."),
  minSubGroups: count.default(0).describe("Subgroups that the gang needs."),
  networkTopology: networkTopology.optional(),
});

export const PodGroupSpec = z.strictObject({
  minMember: count.optional().describe("Pods that start together, or none does."),
  minTaskMember: z
    .record(z.string(), int32)
    .optional()
    .describe(
      "Pods of each task among minMember. Counts only where minMember is at least their sum.",
    ),
  minResources: resourceList
    .optional()
    .describe("What must be free before the scheduler considers the group."),
  queue: dnsSubdomain.default("default").describe("Volcano queue."),
  priorityClassName: z.string().max(253).optional().describe("Priority of the group among others."),
  networkTopology: networkTopology.optional(),
  subGroupPolicy: z
    .array(subGroupPolicy)
    .optional()
    .describe("Subgroups that start whole or not at all. Not together with minTaskMember."),
});

export const PodGroupStatus = z.strictObject({
  phase: z.enum(["Pending", "Inqueue", "Running", "Unknown", "Completed"]).optional(),
  running: count.optional(),
  succeeded: count.optional(),
  failed: count.optional(),
  conditions: z
    .array(
      z.strictObject({
        type: z.string().optional(),
        status: z.string().optional(),
        reason: z.string().optional(),
        message: z.string().optional(),
        transitionID: z.string().optional(),
        lastTransitionTime: timestamp().optional(),
      }),
    )
    .optional()
    .describe("A history: the newest condition with status True holds."),
});

/** The spec as written. */
export type PodGroupSpec = z.input<typeof PodGroupSpec>;
export type PodGroupStatus = z.infer<typeof PodGroupStatus>;
