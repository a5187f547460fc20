import { z } from "zod";
import { LLMServiceSpec } from "./llm-service.ts";
import { RewriteRule } from "./model-rewrite.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { type InferenceRole, isInferenceRole, isRouter, Role, type RouterRole } from "./role.ts";

export const gangLayouts = ["subGroup", "task", "none"] as const;
export const workloadModes = ["auto", "perReplica", "perRole"] as const;

export type GangLayout = (typeof gangLayouts)[number];
export type WorkloadMode = (typeof workloadModes)[number];

export const Metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().default("default"),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});

const Gang = z.strictObject({
  /**
   * subGroup: each replica starts whole or not at all, and every gang role's minReplicas start together.
   * task: the design's PodGroup to the letter; everything starts or nothing does. none: no PodGroup.
   */
  layout: z
    .enum(gangLayouts)
    .default("subGroup")
    .describe("What starts together or not at all. Default subGroup."),
});

const SchedulingStrategy = z.strictObject({
  /** Scheduler of all pods of every role. Default: volcano for roles in a gang, else the cluster's. */
  schedulerName: z.string().min(1).optional(),
  queue: z.string().min(1).optional().describe("Volcano queue."),
  priorityClassName: z.string().min(1).optional().describe("Of PodGroup and pods."),
  gang: Gang.prefault({}),
});

export const InferenceServiceSpec = z.strictObject({
  roles: z.array(Role).min(1),
  /**
   * How many LeaderWorkerSets a role has. auto: one a replica for multi-node roles and for prefillers and
   * decoders that work together, else one a role. perRole keeps autoscaling and rolling updates.
   */
  workload: z
    .enum(workloadModes)
    .default("auto")
    .describe("How many LeaderWorkerSets a role has. Default auto."),
  schedulingStrategy: SchedulingStrategy.prefault({}),
  plugins: PodPlugins.optional().describe("What customises the pods, in order."),
  networkPolicy: NetworkPolicyArgument,
  /** Models that the service's pool serves; with them, requests for any other model are refused. Needs a router. */
  models: LLMServiceSpec.shape.models.optional(),
  /** Rules by which the service's pool rewrites models. Needs a router. */
  rewrites: z.array(RewriteRule).min(1).max(256).optional(),
});

export type Metadata = z.infer<typeof Metadata>;
/** The spec as parsed: defaults are filled in. */
export type InferenceServiceSpec = z.infer<typeof InferenceServiceSpec>;
/** The spec as written. */
export type InferenceServiceSpecInput = z.input<typeof InferenceServiceSpec>;
export type MetadataInput = z.input<typeof Metadata>;

/** What a plan is made from, as written: name, namespace and the spec. */
export interface InferenceServiceInput {
  metadata: MetadataInput;
  spec: InferenceServiceSpecInput;
}

/** What a plan is made from, validated and with defaults. */
export interface InferenceService {
  metadata: Metadata;
  spec: InferenceServiceSpec;
}

export const inferenceRolesOf = (spec: Pick<InferenceServiceSpec, "roles">): InferenceRole[] =>
  spec.roles.filter(isInferenceRole);

export const routerOf = (spec: Pick<InferenceServiceSpec, "roles">): RouterRole | undefined =>
  spec.roles.find(isRouter);

/** Whether prefillers and decoders work together in the service. */
export const isDisaggregated = (roles: ReadonlyArray<{ componentType?: unknown }>): boolean =>
  roles.some((role) => role.componentType === "prefiller") &&
  roles.some((role) => role.componentType === "decoder");
