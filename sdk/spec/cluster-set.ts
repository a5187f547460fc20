import { z } from "zod";
import { objectName } from "../../kubernetes/kinds/field-types.ts";
import { dnsLabel } from "../../kubernetes/values/dns-label.ts";
import { named, output } from "./argument.ts";
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

const ExportGrant = named(
  "ExportGrant",
  z.strictObject({
    namespace: pattern("a namespace, or a prefix of namespaces such as ml-*").describe(
      "A namespace, or how namespaces begin: `ml-*`.",
    ),
    pools: z
      .array(pattern("a pool name, or a prefix of names such as llama-*"))
      .max(64)
      .optional()
      .describe("Names of pools, or how they begin: `llama-*`. Default: all."),
  }),
).describe("Pools that a member of a set may export.");

/** What a member of a set may do to the others; a members file has the same fields. */
export const memberPolicyFields = {
  exports: z
    .array(ExportGrant)
    .max(64)
    .optional()
    .describe(
      "Pools that the member may export, never in namespaces `kube-*`. Default: any but those in the lists of other members.",
    ),
  maxExports: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe("The most pools that the member exports, the oldest first. Default 100."),
  networks: z
    .array(z.string().refine(isNetwork, "a CIDR such as 10.4.0.0/14"))
    .max(64)
    .optional()
    .describe(
      "CIDRs of the member's pods and gateways: importing pickers send requests nowhere else because of it. Default: anywhere.",
    ),
  maxEndpoints: z
    .int32()
    .min(0)
    .optional()
    .describe(
      "The most model servers of a pool that the member's picker is believed to have. Default 1,000.",
    ),
  labels: z
    .record(z.string().min(1).max(317), z.string().max(63))
    .optional()
    .describe(
      "Labels of the member, by which exports choose who imports them (`exportTo`). `topology.kubernetes.io/region` and `topology.kubernetes.io/zone` tell importing pickers how near it is. Default: none.",
    ),
  uid: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Uid of the member's namespace kube-system. Default: the one that it says first."),
};

const Member = named(
  "ClusterSetMemberRef",
  z.strictObject({
    name: z
      .string()
      .max(63)
      .regex(dnsLabel, "lower-case letters, digits and dashes")
      .describe("How imports name the cluster: a DNS label. Another name is another cluster."),
    kubeconfigSecret: output(objectName).describe(
      "The Secret beside the controller that holds a kubeconfig.",
    ),
    key: z.string().min(1).max(253).default("kubeconfig").describe("Key of the Secret."),
    context: z
      .string()
      .min(1)
      .optional()
      .describe("Context of the kubeconfig. Default: its current one."),
    ...memberPolicyFields,
  }),
).describe("A cluster of a set, and the Secret by which the controller reaches it.");

const bytes = z.string().regex(/^\d+(|k|M|G|Ki|Mi|Gi)[Bb]?$/, "a size such as 32MiB");
const count = z.int().min(1).max(1_000_000);

/** docs/limits.md has the defaults. */
const MemberLimits = named(
  "MemberLimits",
  z.strictObject({
    responseSize: bytes
      .optional()
      .describe("Size of an answer of its API server, a page of a list among them. Default 16MiB."),
    eventSize: bytes.optional().describe("Size of an event of a watch. Default 4MiB."),
    objectSize: bytes.optional().describe("Size of what is kept of an object. Default 64KiB."),
    pages: count.optional().describe("Pages of a list. Default 1,000."),
    listTimeout: duration.optional().describe("Time of all pages of a list. Default 120s."),
    pools: count.optional().describe("InferencePools and imports, of each kind. Default 2,000."),
    routes: count.optional().describe("HTTPRoutes to InferencePools. Default 5,000."),
    gateways: count.optional().describe("Gateways. Default 1,000."),
    objects: count.optional().describe("Objects of each other kind. Default 20,000."),
  }),
).describe("What the controller of a set takes of each member; sizes such as `32MiB`.");

/** The clusters among which pools are exported, and the controller that writes imports. */
export const ClusterSetSpec = z.strictObject({
  members: z.array(Member).min(1).max(100).describe("The clusters of the set: at least one."),
  controllerName: z
    .string()
    .max(253)
    .regex(/^[a-z0-9.-]+\/[A-Za-z0-9/._-]+$/, "a domain and a path, such as example.com/controller")
    .optional()
    .describe(
      "The name under which statuses are written, `domain/path`. Two sets with members in common need two. Default: this project's.",
    ),
  importIntoExporters: z
    .boolean()
    .default(false)
    .describe("Whether clusters that export a pool import it as well."),
  staleAfter: duration
    .optional()
    .describe(
      "How long a member may be silent before its exports are withdrawn, such as `10m`. Default: they never are.",
    ),
  importGracePeriod: duration
    .default("30s")
    .describe("How long an import is kept, without clusters, after its last export is withdrawn."),
  memberLimits: MemberLimits.default({}).describe(
    "What the controller takes of each member's API server. Default: what docs/limits.md says.",
  ),
  replicas: z
    .int32()
    .min(0)
    .default(1)
    .describe("Pods of the controller; one leads, the others stand by."),
  metricsAuth: z
    .boolean()
    .default(true)
    .describe(
      "Whether the controller's pages ask for a token that may read them, which needs a ClusterRole.",
    ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the controller. Default: those who have to.",
  ),
  ...programPodFields,
});

/** The identity of the controller in a member. */
export const ClusterSetMemberSpec = z.strictObject({
  token: z
    .boolean()
    .default(false)
    .describe(
      "Whether a Secret with a lasting token is made, for a kubeconfig without an exec plugin.",
    ),
});

export type ClusterSetSpec = z.infer<typeof ClusterSetSpec>;
export type ClusterSetMemberSpec = z.infer<typeof ClusterSetMemberSpec>;
