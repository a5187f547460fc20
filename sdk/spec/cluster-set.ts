import { z } from "zod";
import { nonEmptyText, objectName, positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { dnsLabel } from "../../kubernetes/values/dns-label.ts";
import { named, offByDefault, onByDefault, output } from "../schemas/argument.ts";
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
      "Namespace, or a prefix of namespaces such as `ml-*`.",
    ),
    pools: z
      .array(pattern("a pool name, or a prefix of names such as llama-*"))
      .max(64)
      .optional()
      .describe("Pool names, or prefixes such as `llama-*`. Default: all pools."),
  }),
).describe("Pools that a member of a set may export.");

/** Limits on a member of a set that protect the other members. A members file has the same fields. */
export const memberPolicyFields = {
  exports: z
    .array(ExportGrant)
    .max(64)
    .optional()
    .describe(
      "Pools that the member may export. Namespaces `kube-*` are never allowed. Default: all pools except those listed for other members.",
    ),
  maxExports: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe(
      "Maximum number of pools that the member may export. Older pools take precedence. Default 100.",
    ),
  networks: z
    .array(z.string().refine(isNetwork, "a CIDR such as 10.4.0.0/14"))
    .max(64)
    .optional()
    .describe(
      "CIDRs of the member's pods and gateways. Importing pickers send requests for this member only to these addresses. Default: any address.",
    ),
  maxEndpoints: z
    .int32()
    .min(0)
    .optional()
    .describe(
      "Maximum number of ready model servers per pool that importing pickers count for this member, even if its picker reports more. Default 1,000.",
    ),
  labels: z
    .record(z.string().min(1).max(317), z.string().max(63))
    .optional()
    .describe(
      "Labels of the member. An export selects the members that import it by their labels (`exportTo`). Importing pickers derive the distance to the member from `topology.kubernetes.io/region` and `topology.kubernetes.io/zone`. Default: none.",
    ),
  uid: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      "UID of the member's namespace kube-system. Default: the first UID that the member reports.",
    ),
};

const Member = named(
  "ClusterSetMemberRef",
  z.strictObject({
    name: z
      .string()
      .max(63)
      .regex(dnsLabel, "lower-case letters, digits and dashes")
      .describe(
        "Name of the cluster in imports: a DNS label. Renaming a member replaces it by a different cluster.",
      ),
    kubeconfigSecret: output(objectName).describe(
      "Secret in the controller's namespace that contains a kubeconfig.",
    ),
    key: z
      .string()
      .min(1)
      .max(253)
      .default("kubeconfig")
      .describe("Key of the kubeconfig in the Secret."),
    context: nonEmptyText
      .optional()
      .describe("Context in the kubeconfig. Default: its current context."),
    ...memberPolicyFields,
  }),
).describe("A cluster of a set, and the Secret with which the controller connects to it.");

const bytes = z.string().regex(/^\d+(|k|M|G|Ki|Mi|Gi)[Bb]?$/, "a size such as 32MiB");
const count = positiveInteger.max(1_000_000);

/** docs/limits.md lists the defaults. */
const MemberLimits = named(
  "MemberLimits",
  z.strictObject({
    responseSize: bytes
      .optional()
      .describe(
        "Maximum size of a response from the member's API server, including one page of a list. Default 16MiB.",
      ),
    eventSize: bytes.optional().describe("Maximum size of a watch event. Default 4MiB."),
    objectSize: bytes
      .optional()
      .describe("Maximum size of an object in the controller's memory. Default 64KiB."),
    pages: count.optional().describe("Maximum number of pages of a list. Default 1,000."),
    listTimeout: duration.optional().describe("Time limit for all pages of a list. Default 120s."),
    pools: count
      .optional()
      .describe("Maximum number of InferencePools, and of imports. Default 2,000."),
    routes: count
      .optional()
      .describe("Maximum number of HTTPRoutes to InferencePools. Default 5,000."),
    gateways: count.optional().describe("Gateways. Default 1,000."),
    objects: count
      .optional()
      .describe("Maximum number of objects of each other kind. Default 20,000."),
  }),
).describe(
  "Limits on the data that the controller of a set accepts from each member. Sizes are written as `32MiB`.",
);

/** A set of clusters that export pools to each other, and the controller that writes the imports. */
export const ClusterSetSpec = z.strictObject({
  members: z.array(Member).min(1).max(100).describe("Clusters of the set: 1 to 100."),
  controllerName: z
    .string()
    .max(253)
    .regex(/^[a-z0-9.-]+\/[A-Za-z0-9/._-]+$/, "a domain and a path, such as example.com/controller")
    .optional()
    .describe(
      "Name under which the controller writes statuses, as `domain/path`. Two sets that share members need different names. Default: this project's name.",
    ),
  importIntoExporters: offByDefault("Whether clusters that export a pool also import it."),
  staleAfter: duration
    .optional()
    .describe(
      "Time that a member may be unreachable before its exports are withdrawn, such as `10m`. Default: exports are never withdrawn.",
    ),
  importGracePeriod: duration
    .default("30s")
    .describe("Time that an import is kept, without clusters, after its last export is withdrawn."),
  memberLimits: MemberLimits.default({}).describe(
    "Limits on the data that the controller accepts from each member's API server. Default: the limits in docs/limits.md.",
  ),
  replicas: z
    .int32()
    .min(0)
    .default(1)
    .describe("Pods of the controller. One pod is the leader, and the other pods are on standby."),
  metricsAuth: onByDefault(
    "Whether the controller's pages require a bearer token with permission to read them. This needs a ClusterRole.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the controller. Default: only the peers that need to.",
  ),
  ...programPodFields,
});

/** Identity of the controller in a member. */
export const ClusterSetMemberSpec = z.strictObject({
  token: offByDefault(
    "Whether to create a Secret with a long-lived token, for a kubeconfig without an exec plugin.",
  ),
});

export type ClusterSetSpec = z.infer<typeof ClusterSetSpec>;
export type ClusterSetMemberSpec = z.infer<typeof ClusterSetMemberSpec>;
