import { z } from "zod";
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
  apiVersion: "workload.kthena.io/v1alpha1",
} as const;

/** The kind under the name of the plugin framework's proposal, and under the one that Kthena serves. */
export const modelServingVersions = [
  modelServingKind.apiVersion,
  "workload.serving.volcano.sh/v1alpha1",
] as const;

export const recoveryPolicies = ["RoleRecreate", "None"] as const;

const count = z.int32().min(0);

const Role = z.strictObject({
  name: z.string(),
  /** Instances of the role in each serving group. */
  replicas: count.default(1),
  /** The pod that leads an instance, or is all of it. */
  entryTemplate: PodTemplate,
  /** Pods of an instance beside the entry pod. */
  workerReplicas: count.default(0),
  workerTemplate: PodTemplate.optional(),
});

export const ModelServingSpec = z.strictObject({
  /** Scheduler of all pods. With `default-scheduler` nothing starts together. */
  schedulerName: z.string().min(1).default("volcano"),
  /** Serving groups. */
  replicas: count.default(1),
  /** Plugins that customise the pods, in the order in which they run. */
  plugins: PodPlugins.optional(),
  /** What a failed pod takes with it. RoleRecreate: its instance of the role. */
  recoveryPolicy: z.enum(recoveryPolicies).default("RoleRecreate"),
  /** Who may open connections to the pods. Kthena does not have it. */
  networkPolicy: NetworkPolicyArgument,
  template: z.strictObject({
    roles: z.array(Role).min(1).max(4),
    gangPolicy: z
      .strictObject({
        /** Instances of a role that a serving group needs to start. Default: all of every role. */
        minRoleReplicas: z.record(z.string(), count).optional(),
      })
      .optional(),
  }),
});

export type ModelServingSpec = z.infer<typeof ModelServingSpec>;
export type ModelServingRole = ModelServingSpec["template"]["roles"][number];

/** Pods of one instance of a role. */
export const sizeOf = ({ workerReplicas }: ModelServingRole): number => 1 + workerReplicas;

/**
 * Metadata and spec of a ModelServing manifest, of either group.
 *
 * @throws SpecError for what is no ModelServing
 */
export const modelServingFromManifest = (document: unknown) =>
  manifestContent(document, {
    apiVersions: modelServingVersions,
    kind: modelServingKind.kind,
  });
