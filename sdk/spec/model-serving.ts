import { z } from "zod";
import { nonEmptyText } from "../../kubernetes/kinds/field-types.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { named, typed, words } from "../schemas/argument.ts";
import { PodTemplate } from "../schemas/pod-template.ts";
import { manifestContent } from "./manifest-envelope.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { NetworkTopology } from "./network-topology.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { isCountOrShare } from "./program-pods.ts";

/**
 * ModelServing, as defined by Kthena: serving groups of roles, each role an entry pod and its workers. Except for
 * `networkPolicy`, Kthena defines the fields. Fields of Kthena's spec that are not listed here are rejected.
 */
export const modelServingKind = {
  kind: "ModelServing",
  apiVersion: unplanned.ModelServing.apiVersion,
} as const;

/** API versions of the kind: the one in the plugin framework's proposal, and the one that Kthena serves. */
export const modelServingVersions = [
  modelServingKind.apiVersion,
  `${groups.volcanoServing}/v1alpha1`,
] as const;

const RecoveryPolicy = words(
  "RecoveryPolicy",
  "Pods that are recreated together with a failed pod of a ModelServing.",
  {
    ServingGroupRecreate: [
      "ServingGroupRecreate",
      "The pod's serving group. Roles become LeaderWorkerSets, so if a group has several instances of a role, only the pod's instance is recreated. The preview warns of this.",
    ],
    RoleRecreate: [
      "RoleRecreate",
      "The pod's instance of the role: the entry pod and all workers.",
    ],
    None: ["None", "No other pods."],
  },
);

const count = z.int32().min(0);

const countOrShare = typed(
  "number | string",
  z
    .unknown()
    .refine((value) => value === undefined || isCountOrShare(value), {
      error: "a whole number, or a share such as 50%",
    })
    .meta({ "x-kubernetes-int-or-string": true }),
  "pulumi.Inputs[string]",
);

const rollingUpdate = {
  maxUnavailable: countOrShare
    .optional()
    .describe(
      "Number or percentage of groups or instances that may be unavailable during an update. Default 1.",
    ),
  partition: countOrShare
    .optional()
    .describe(
      "Number or percentage of groups or instances, counted from the first, that keep their old pods. Default 0.",
    ),
};

const RollingUpdate = named("ServingGroupRollingUpdate", z.strictObject(rollingUpdate)).describe(
  "Limits of a rolling update, in serving groups.",
);

const RolloutStrategy = named(
  "RolloutStrategy",
  z.strictObject({
    type: words("RolloutStrategyType", "Unit that an update replaces one by one.", {
      ServingGroupRollingUpdate: [
        "ServingGroupRollingUpdate",
        "Serving groups. The first `partition` groups keep their pods. The LeaderWorkerSets of a group are updated concurrently and ignore `maxUnavailable`; the preview warns of this.",
      ],
      RoleRollingUpdate: [
        "RoleRollingUpdate",
        "Instances of a role, within the role's `maxUnavailable` and `partition`.",
      ],
    })
      .default("ServingGroupRollingUpdate")
      .describe("Unit that an update replaces one by one."),
    rollingUpdateConfiguration: RollingUpdate.optional().describe(
      "Limits of ServingGroupRollingUpdate, in serving groups. Default: every group is updated.",
    ),
  }),
).describe("How an update replaces pods.");

const Role = named(
  "ServingRole",
  z.strictObject({
    name: z
      .string()
      .describe("Name of the role: a DNS label of at most 12 characters, unique in the template."),
    replicas: count.default(1).describe("Instances of the role in each serving group."),
    entryTemplate: PodTemplate.describe(
      "Template of the entry pod, which leads an instance. Without workers, the entry pod is the whole instance.",
    ),
    workerReplicas: count.default(0).describe("Pods of an instance besides the entry pod."),
    workerTemplate: PodTemplate.optional().describe(
      "Template of the worker pods. Required if workerReplicas is above 0.",
    ),
    ...rollingUpdate,
  }),
).describe("Part of a serving group: instances of an entry pod and its workers.");

const GangPolicy = named(
  "GangPolicy",
  z.strictObject({
    minRoleReplicas: z
      .record(z.string(), count)
      .optional()
      .describe(
        "Minimum number of instances per role that a serving group needs to start. Default: all instances of every role.",
      ),
  }),
).describe("Pods of a serving group that start together.");

const ServingNetworkTopology = named(
  "ServingNetworkTopology",
  z.strictObject({
    groupPolicy: NetworkTopology.optional().describe(
      "Limit on the network distance between all pods of a serving group. Default: none.",
    ),
    rolePolicy: NetworkTopology.optional().describe(
      "Limit on the network distance between the pods of an instance of a role. Default: none.",
    ),
  }),
).describe("Network topology of serving groups and roles, enforced by Volcano.");

const ServingGroupTemplate = named(
  "ServingGroupTemplate",
  z.strictObject({
    roles: z.array(Role).min(1).max(4).describe("Roles of a serving group: one to four."),
    gangPolicy: GangPolicy.optional().describe(
      "Pods of a group that start together. Default: all pods.",
    ),
    networkTopology: ServingNetworkTopology.optional().describe(
      "Limits on the network distance between pods, set in the PodGroup of each serving group. Needs Volcano and its HyperNodes. Default: none.",
    ),
    restartGracePeriodSeconds: z
      .int()
      .min(0)
      .default(0)
      .describe(
        "Seconds that Kthena waits before it recreates pods after an error. A LeaderWorkerSet ignores it, and recreates an instance as soon as a container restarts. The preview warns of this. Default 0.",
      ),
  }),
).describe("Template of a serving group.");

export const ModelServingSpec = z.strictObject({
  schedulerName: nonEmptyText
    .default("volcano")
    .describe(
      "Scheduler of all pods. With default-scheduler, pods start independently, without gangs.",
    ),
  replicas: count.default(1).describe("Serving groups."),
  plugins: PodPlugins.optional().describe(
    "Plugins that customise the pods, in the order in which they run.",
  ),
  recoveryPolicy: RecoveryPolicy.default("RoleRecreate").describe(
    "Pods that are recreated together with a failed pod.",
  ),
  rolloutStrategy: RolloutStrategy.optional().describe(
    "How an update replaces pods. Default: every role updates its instances one by one.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the pods. Kthena has no such field. Default: all pods in the cluster, on the serving port.",
  ),
  template: ServingGroupTemplate.describe("Template of a serving group."),
});

export type ModelServingSpec = z.infer<typeof ModelServingSpec>;
export type ModelServingRole = ModelServingSpec["template"]["roles"][number];

/** Returns the number of pods in one instance of a role. */
export const sizeOf = ({ workerReplicas }: ModelServingRole): number => 1 + workerReplicas;

/**
 * Returns metadata and spec of a ModelServing manifest of either API group. Kthena's own files contain a worker
 * template even without workers (`workerReplicas: 0`); it is removed.
 *
 * @throws SpecError if the document is not a ModelServing
 */
export function modelServingFromManifest(document: unknown) {
  const kind = { apiVersions: modelServingVersions, kind: modelServingKind.kind };
  const { metadata, spec } = manifestContent(document, kind);
  const { template } = spec as { template?: unknown };
  if (!isMap(template) || !Array.isArray(template.roles)) return { metadata, spec };
  const roles = template.roles.map(withoutIdleTemplate);
  return { metadata, spec: { ...(spec as object), template: { ...template, roles } } };
}

function withoutIdleTemplate(role: unknown): unknown {
  if (!isMap(role) || role.workerReplicas !== 0) return role;
  const { workerTemplate: _idle, ...rest } = role;
  return rest;
}
