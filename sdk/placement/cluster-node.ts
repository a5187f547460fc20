import { z } from "zod";
import type { AcceleratorName } from "../engines/accelerators/index.ts";
import { acceleratorsOfLabels } from "../engines/accelerators/node-labels.ts";

const texts = z.record(z.string(), z.string());

/** Taint of a node. */
const taint = z.looseObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.string(),
});

/**
 * The fields of a Node that decide which pods it accepts, as the API server returns them. Every other field is dropped,
 * so that a list of nodes stays small.
 */
export const clusterNode = z.object({
  metadata: z
    .object({ name: z.string().default(""), labels: texts.optional() })
    .default({ name: "" }),
  spec: z
    .object({ unschedulable: z.boolean().optional(), taints: z.array(taint).optional() })
    .optional(),
  status: z
    .object({
      allocatable: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
    })
    .optional(),
});

/** Node of a cluster: its labels, taints, conditions and allocatable resources. */
export type ClusterNode = z.infer<typeof clusterNode>;

export type Taint = z.infer<typeof taint>;

/** Returns the accelerators that the labels of a node name. */
export const acceleratorsOfNode = ({ metadata: { labels = {} } }: ClusterNode): AcceleratorName[] =>
  acceleratorsOfLabels(Object.entries(labels));

/** Whether the node's kubelet reports that it can run pods. A node without the condition does not. */
export const isReady = ({ status }: ClusterNode): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");

/** Whether pods can get the node's accelerators: it is ready and not cordoned. */
export const isOpen = (node: ClusterNode): boolean =>
  isReady(node) && node.spec?.unschedulable !== true;
