import { z } from "zod";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { named, typed, words } from "./argument.ts";
import { manifestContent } from "./manifest-envelope.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { NetworkTopology } from "./network-topology.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { isCountOrShare } from "./program-pods.ts";
import { PodTemplate } from "./role.ts";

/**
 * ModelServing, as Kthena has it: serving groups of roles, each role an entry pod and its workers. Fields and meanings
 * are Kthena's but for `networkPolicy`; of its spec, what is not listed is refused.
 */
export const modelServingKind = {
  kind: "ModelServing",
  apiVersion: unplanned.ModelServing.apiVersion,
} as const;

/** The kind under the name of the plugin framework's proposal, and under the one that Kthena serves. */
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
      "Its serving group. Roles are LeaderWorkerSets here, so that with several instances in a group only the pod's instance is recreated; the preview warns of it.",
    ],
    RoleRecreate: ["RoleRecreate", "Its instance of the role: the entry pod and all workers."],
    None: ["None", "Nothing."],
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
    .describe("Number or percentage that may be unavailable during an update. Default 1."),
  partition: countOrShare
    .optional()
    .describe("Number or percentage, from the first on, that keeps its old pods. Default 0."),
};

const RollingUpdate = named("ServingGroupRollingUpdate", z.strictObject(rollingUpdate)).describe(
  "How many serving groups are updated.",
);

const RolloutStrategy = named(
  "RolloutStrategy",
  z.strictObject({
    type: words("RolloutStrategyType", "What an update replaces one by one.", {
      ServingGroupRollingUpdate: [
        "ServingGroupRollingUpdate",
        "Serving groups. `partition` keeps the first of them; their LeaderWorkerSets are updated concurrently, whatever `maxUnavailable` is, of which the preview warns.",
      ],
      RoleRollingUpdate: [
        "RoleRollingUpdate",
        "Instances of a role, by `maxUnavailable` and `partition` of the role.",
      ],
    })
      .default("ServingGroupRollingUpdate")
      .describe("What an update replaces one by one."),
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
      .describe("The role's name: a DNS label of at most 12 characters, unique in the template."),
    replicas: count.default(1).describe("Instances of the role in each serving group."),
    entryTemplate: PodTemplate.describe("The pod that leads an instance, or is all of it."),
    workerReplicas: count.default(0).describe("Pods of an instance beside the entry pod."),
    workerTemplate: PodTemplate.optional().describe(
      "Those pods; needed where workerReplicas is above 0.",
    ),
    ...rollingUpdate,
  }),
).describe("A part of a serving group: instances of an entry pod and its workers.");

const GangPolicy = named(
  "GangPolicy",
  z.strictObject({
    minRoleReplicas: z
      .record(z.string(), count)
      .optional()
      .describe(
        "Instances by role that a serving group needs to start. Default: all of every role.",
      ),
  }),
).describe("What of a serving group starts together.");

const ServingNetworkTopology = named(
  "ServingNetworkTopology",
  z.strictObject({
    groupPolicy: NetworkTopology.optional().describe(
      "How near to one another all pods of a serving group run. Default: any.",
    ),
    rolePolicy: NetworkTopology.optional().describe(
      "How near to one another the pods of an instance of a role run. Default: any.",
    ),
  }),
).describe("Network topology of serving groups and roles, by Volcano.");

const ServingGroupTemplate = named(
  "ServingGroupTemplate",
  z.strictObject({
    roles: z.array(Role).min(1).max(4).describe("The parts of a serving group: one to four."),
    gangPolicy: GangPolicy.optional().describe(
      "What of a group starts together. Default: all of it.",
    ),
    networkTopology: ServingNetworkTopology.optional().describe(
      "How near to one another pods run, on the PodGroup of each serving group. It needs Volcano and its HyperNodes. Default: any.",
    ),
    restartGracePeriodSeconds: z
      .int()
      .min(0)
      .default(0)
      .describe(
        "Kthena's wait before it recreates pods after an error. LeaderWorkerSet recreates an instance as soon as a container restarts; the preview warns of it. Default 0.",
      ),
  }),
).describe("What one serving group is made of.");

export const ModelServingSpec = z.strictObject({
  schedulerName: z
    .string()
    .min(1)
    .default("volcano")
    .describe("Scheduler of all pods. With default-scheduler nothing starts together."),
  replicas: count.default(1).describe("Serving groups."),
  plugins: PodPlugins.optional().describe(
    "Plugins that customise the pods, in the order in which they run.",
  ),
  recoveryPolicy: RecoveryPolicy.default("RoleRecreate").describe(
    "What a failed pod takes with it.",
  ),
  rolloutStrategy: RolloutStrategy.optional().describe(
    "How an update replaces pods. Default: every role updates one instance after the other.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the pods; Kthena does not have it. Default: pods of the cluster, on the port that serves.",
  ),
  template: ServingGroupTemplate.describe("What one serving group is made of."),
});

export type ModelServingSpec = z.infer<typeof ModelServingSpec>;
export type ModelServingRole = ModelServingSpec["template"]["roles"][number];

/** Pods of one instance of a role. */
export const sizeOf = ({ workerReplicas }: ModelServingRole): number => 1 + workerReplicas;

/**
 * Metadata and spec of a ModelServing manifest, of either group. Kthena's own files have a template for workers of which
 * there are none (`workerReplicas: 0`); it is left out.
 *
 * @throws SpecError for anything but a ModelServing
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
