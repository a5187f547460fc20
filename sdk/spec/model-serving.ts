import { z } from "zod";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { named, words } from "./argument.ts";
import { manifestContent } from "./manifest-envelope.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { PodPlugins } from "./pod-plugin.ts";
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
  "What a failed pod of a ModelServing takes with it.",
  {
    RoleRecreate: ["RoleRecreate", "Its instance of the role: the entry pod and all workers."],
    None: ["None", "Nothing."],
  },
);

const count = z.int32().min(0);

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

const ServingGroupTemplate = named(
  "ServingGroupTemplate",
  z.strictObject({
    roles: z.array(Role).min(1).max(4).describe("The parts of a serving group: one to four."),
    gangPolicy: GangPolicy.optional().describe(
      "What of a group starts together. Default: all of it.",
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
 * Metadata and spec of a ModelServing manifest, of either group.
 *
 * @throws SpecError for anything but a ModelServing
 */
export const modelServingFromManifest = (document: unknown) =>
  manifestContent(document, {
    apiVersions: modelServingVersions,
    kind: modelServingKind.kind,
  });
