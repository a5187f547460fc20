import type * as pulumi from "@pulumi/pulumi";
import type { ComponentOptions } from "../child-options.ts";
import type {
  Metadata,
  Multinode,
  RouterFields,
  SchedulingStrategy,
} from "../inference-service-args.ts";
import type { Model } from "../models/llm-service-args.ts";
import type { RewriteRule } from "../models/model-rewrite-args.ts";
import type { NetworkPolicy } from "../network-policy-args.ts";
import type { PodPlugin } from "../pod-plugin-args.ts";
import type { ComponentSummary, Endpoints } from "../service-outputs.ts";
import type { ComponentType, WorkloadMode } from "../vocabulary.ts";
import type { PodTemplate } from "./pod-template.ts";

/**
 * InferenceService as Pulumi's analyzer can describe it for other languages, which knows no unions: one interface for
 * all roles, and pod templates that are open below their first fields. Programs in TypeScript use the component itself.
 */
export declare class InferenceService extends pulumi.ComponentResource {
  readonly serviceName: pulumi.Output<string>;
  readonly namespace: pulumi.Output<string>;
  readonly poolName: pulumi.Output<string | undefined>;
  readonly url: pulumi.Output<string | undefined>;
  readonly urlStatus: pulumi.Output<string>;
  readonly readiness: pulumi.Output<string>;
  readonly endpoints: pulumi.Output<Endpoints>;
  readonly components: pulumi.Output<Record<string, ComponentSummary>>;
  constructor(name: string, args: InferenceServiceArgs, opts?: ComponentOptions);
}

/** The arguments of an InferenceService. */
export interface InferenceServiceArgs {
  /** Name, namespace, labels and annotations of the service. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** At least one; at most one router. */
  roles: Role[];
  /** How many LeaderWorkerSets a role has. Default `auto`. */
  workload?: WorkloadMode;
  /** Scheduler, queue, priority and gang of all roles. */
  schedulingStrategy?: SchedulingStrategy;
  /** Who may open connections to engines and picker. Default: those who have to; see NetworkPolicy. */
  networkPolicy?: NetworkPolicy;
  /** `true`, `false` or `"Available"`: whether creating and updating wait until the service works. Default false. */
  waitFor?: pulumi.Inputs[string];
  /** Plugins that customise the pods of the roles, in the order in which they run. */
  plugins?: PodPlugin[];
  /** Models that the service's pool serves; requests for any other are then refused. Needs a router. */
  models?: Model[];
  /** Rules by which the service's pool rewrites models. Needs a router. */
  rewrites?: RewriteRule[];
  /** Whether the service has an object of its own kind in the cluster, with its status. Default false. */
  statusObject?: boolean;
}

/** One part of a service: pods that run an inference engine, or the router before them. */
export interface Role extends RouterFields {
  /** A DNS label, unique in the service. Part of object names; changing it replaces the role's objects. */
  name: string;
  /** What the pods do. Prefillers and decoders need each other. */
  componentType: ComponentType;
  /** Instances of the engine, or pods of a router's endpoint picker. Default 1; 0 stops the role. */
  replicas?: number;
  /** Replicas that must start together with the other gang roles' minimum. Default 1. Not for routers. */
  minReplicas?: number;
  /** Makes every replica a group of pods that are one engine. Not for routers. */
  multinode?: Multinode;
  /** Plugins for this role's pods, which run after those of the service. Not for routers. */
  plugins?: PodPlugin[];
  /** Pod template of the engine. Needed by every role but a router, which has none. */
  template?: PodTemplate;
}
