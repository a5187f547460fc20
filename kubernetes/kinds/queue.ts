import { z } from "zod";
import { count, dnsSubdomain, int32, positiveCount, resourceList } from "./field-types.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/**
 * Queue, scheduling.volcano.sh/v1beta1: a share of the cluster's resources for PodGroups. Fields, defaults and limits
 * are the same as in the upstream CRD.
 */
export const queue = defineKind({
  group: groups.volcano,
  version: "v1beta1",
  kind: "Queue",
  plural: "queues",
  scope: "Cluster",
  readiness: { waitFor: "jsonpath={.status.state}=Open" },
});

const nodeGroups = z.strictObject({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(z.string()).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z.array(z.string()).optional(),
});

export const QueueGuarantee = z.strictObject({ resource: resourceList.optional() });

export const QueueSpec = z.strictObject({
  weight: positiveCount
    .max(65_535)
    .default(1)
    .describe("Weight relative to other queues with the same parent."),
  capability: resourceList
    .optional()
    .describe("Maximum resources that the queue may use, by resource."),
  deserved: resourceList
    .optional()
    .describe(
      "Resources that the queue is entitled to, by resource. Resources above it can be reclaimed.",
    ),
  guarantee: QueueGuarantee.optional().describe("Resources reserved for the queue, by resource."),
  reclaimable: z
    .boolean()
    .optional()
    .describe(
      "Whether other queues may reclaim the resources that the queue uses above its share.",
    ),
  parent: dnsSubdomain.optional(),
  priority: count.optional(),
  type: z.string().max(253).optional(),
  dequeueStrategy: z
    .enum(["traverse", "fifo"])
    .default("traverse")
    .describe("Order in which the queue's jobs are considered."),
  affinity: z
    .strictObject({
      nodeGroupAffinity: nodeGroups.optional(),
      nodeGroupAntiAffinity: nodeGroups.optional(),
    })
    .optional(),
  extendClusters: z
    .array(
      z.strictObject({
        name: z.string().optional(),
        weight: int32.optional(),
        capacity: resourceList.optional(),
      }),
    )
    .optional(),
});

export const QueueStatus = z.strictObject({
  state: z
    .enum(["Open", "Closed", "Closing", "Unknown"])
    .optional()
    .describe("State of the queue. PodGroups can be submitted only while it is Open."),
  pending: count.optional(),
  running: count.optional(),
  unknown: count.optional(),
  inqueue: count.optional(),
  completed: count.optional(),
  allocated: resourceList.optional(),
  reservation: z
    .strictObject({ nodes: z.array(z.string()).optional(), resource: resourceList.optional() })
    .optional(),
});
