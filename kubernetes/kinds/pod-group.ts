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
 * PodGroup, scheduling.volcano.sh/v1beta1: pods that Volcano's scheduler starts together. Fields, defaults and limits
 * equal the upstream CRD's (volcano-sh/volcano, staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/types.go). It
 * has no status subresource.
 */
export const podGroup = defineKind({
  group: groups.volcano,
  version: "v1beta1",
  kind: "PodGroup",
  plural: "podgroups",
  scope: "Namespaced",
  // Its minResources stay reserved in the queue as long as it exists.
  replace: "delete-first",
  // The phase is Running although replicas are missing, Unknown after a node is lost, and pods are created after the
  // PodGroup.
  readiness: "exists",
});

export const NetworkTopology = z.strictObject({
  mode: z
    .enum(["hard", "soft"])
    .default("hard")
    .describe("Whether the tier is required (hard) or preferred (soft)."),
  highestTierAllowed: z
    .int()
    .min(0)
    .optional()
    .describe("Highest topology tier that the pods may span. Not allowed with highestTierName."),
  highestTierName: z
    .string()
    .max(253)
    .optional()
    .describe("Name of the highest topology tier that the pods may span."),
});

export const PodGroupSubGroup = z.strictObject({
  name: z.string().max(253).optional(),
  labelSelector: labelSelector.optional().describe("Pods that the policy applies to."),
  matchLabelKeys: atomicList(z.string())
    .optional()
    .describe(
      "Label keys. Pods with equal values of these labels form one sub-group. Without keys, no pod matches.",
    ),
  subGroupSize: int32.min(1).default(1).describe("Pods of a sub-group that start together."),
  minSubGroups: count.default(0).describe("Minimum number of sub-groups that the gang needs."),
  networkTopology: NetworkTopology.optional(),
});

export const PodGroupSpec = z.strictObject({
  minMember: count
    .optional()
    .describe("Number of pods that must be schedulable before any pod starts."),
  minTaskMember: z
    .record(z.string(), int32)
    .optional()
    .describe(
      "Minimum number of pods of each task, by task name. It takes effect only if minMember is at least the sum of the values.",
    ),
  minResources: resourceList
    .optional()
    .describe("Resources that must be free before the scheduler considers the group."),
  queue: dnsSubdomain.default("default").describe("Volcano queue of the group."),
  priorityClassName: z.string().max(253).optional().describe("PriorityClass of the group."),
  networkTopology: NetworkTopology.optional(),
  subGroupPolicy: z
    .array(PodGroupSubGroup)
    .optional()
    .describe(
      "Sub-groups that start as a whole. Needs Volcano 1.14.1 or later. Not allowed with minTaskMember.",
    ),
});

export const PodGroupCondition = z.strictObject({
  type: z.string().optional(),
  status: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  transitionID: z.string().optional(),
  lastTransitionTime: timestamp().optional(),
});

export const PodGroupStatus = z.strictObject({
  phase: z.enum(["Pending", "Inqueue", "Running", "Unknown", "Completed"]).optional(),
  running: count.optional(),
  succeeded: count.optional(),
  failed: count.optional(),
  conditions: z
    .array(PodGroupCondition)
    .optional()
    .describe("History of conditions. The newest one with status True is current."),
});
