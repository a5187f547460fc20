import { z } from "zod";
import { objectName } from "../../kubernetes/kinds/field-types.ts";
import { duration } from "./model-target.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { programPodFields } from "./program-pods.ts";
import { isNetwork } from "./reachable-address.ts";

const pattern = (of: string) =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\*?$|^[a-z0-9][-a-z0-9.]*\*$|^\*$/, of);

const ExportGrant = z.strictObject({
  /** A namespace, or how namespaces begin: `ml-*`. */
  namespace: pattern("a namespace, or how namespaces begin, such as ml-*"),
  /** Names of pools, or how they begin. Default all. */
  pools: z.array(pattern("a pool's name, or how names begin, such as llama-*")).max(64).optional(),
});

/** What a member of a set may do to the others; a members file has the same fields. */
export const memberPolicyFields = {
  /** Names that it may export. Default: any but those in the lists of other members. Never in namespaces `kube-*`. */
  exports: z.array(ExportGrant).max(64).optional(),
  /** Most pools that it exports, the oldest first. Default 100. */
  maxExports: z.int().min(0).max(10_000).optional(),
  /** CIDRs of its pods and gateways: importing pickers send requests nowhere else because of it. Default anywhere. */
  networks: z
    .array(z.string().refine(isNetwork, "give an IP address and a prefix, such as 10.4.0.0/14"))
    .max(64)
    .optional(),
  /** Most model servers of a pool that its picker is believed to have. Default 1,000. */
  maxEndpoints: z.int32().min(0).optional(),
  /** Uid of its namespace kube-system. Default: the one that it says first. */
  uid: z.string().min(1).max(64).optional(),
};

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
  ...memberPolicyFields,
});

const bytes = z.string().regex(/^\d+(|k|M|G|Ki|Mi|Gi)[Bb]?$/, "a size, such as 32MiB");
const count = z.int().min(1).max(1_000_000);

/** What the controller takes of each member: docs/limits.md has the defaults. */
const MemberLimits = z.strictObject({
  /** Of an answer of its API server, a page of a list among them. */
  answerSize: bytes.optional(),
  /** Of an event of a watch. */
  eventSize: bytes.optional(),
  /** Of what is kept of an object. */
  objectSize: bytes.optional(),
  /** Pages of a list. */
  pages: count.optional(),
  /** Time of all pages of a list. */
  listTimeout: duration.optional(),
  /** InferencePools and imports, of each kind. */
  pools: count.optional(),
  /** HTTPRoutes to InferencePools. */
  routes: count.optional(),
  gateways: count.optional(),
  /** Objects of each other kind. */
  objects: count.optional(),
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
  memberLimits: MemberLimits.default({}),
  /** Pods of the controller; one leads, the others stand by. */
  replicas: z.int32().min(0).default(1),
  /** Whether the controller's pages ask for a token that may read them. */
  metricsAuth: z.boolean().default(true),
  networkPolicy: NetworkPolicyArgument,
  ...programPodFields,
});

export type ClusterSetSpec = z.infer<typeof ClusterSetSpec>;
