import { z } from "zod";
import { objectName } from "../kubernetes/field-types.ts";
import { duration } from "./model-target.ts";
import { programPodFields } from "./program-pods.ts";

/** A cluster of a set, and the Secret by which the controller reaches it. */
const Member = z.strictObject({
  /** How imports name the cluster. A DNS label; another name is another cluster. */
  name: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "lower-case letters, digits and dashes"),
  /** Secret beside the controller that holds a kubeconfig. */
  kubeconfigSecret: objectName,
  /** Key of the Secret. */
  key: z.string().min(1).max(253).default("kubeconfig"),
  /** Default: the kubeconfig's current context. */
  context: z.string().min(1).optional(),
});

/** The clusters among which pools are exported, and the controller that writes imports. */
export const ClusterSetSpec = z.strictObject({
  members: z.array(Member).min(1).max(100),
  /** Under which name statuses are written, `domain/path`. Two sets with members in common need two. */
  controllerName: z
    .string()
    .max(253)
    .regex(/^[a-z0-9.-]+\/[A-Za-z0-9/._-]+$/, "a domain and a path")
    .optional(),
  /** Whether clusters that export a pool import it as well. */
  importIntoExporters: z.boolean().default(false),
  /** Exports of a member that is silent for so long are withdrawn. Default never. */
  staleAfter: duration.optional(),
  /** How long an import is kept, without clusters, after its last export is withdrawn. */
  drain: duration.default("30s"),
  /** Pods of the controller; one leads, the others stand by. */
  replicas: z.int32().min(0).default(1),
  ...programPodFields,
});

export type ClusterSetSpec = z.infer<typeof ClusterSetSpec>;
