import type * as pulumi from "@pulumi/pulumi";
import type { Export } from "./export-args.ts";
import type { GatewaySpec } from "./kubernetes/gateway.ts";
import type { HTTPRouteRule, ParentReference } from "./kubernetes/http-route.ts";
import type { Model } from "./models/llm-service-args.ts";
import type { RewriteRule } from "./models/model-rewrite-args.ts";
import type { NetworkPolicy } from "./network-policy-args.ts";
import type { PodPlugin } from "./pod-plugin-args.ts";
import type { PodTemplate } from "./pod-template.ts";
import type { ProgramPods } from "./program-pods-args.ts";
import type {
  ComponentType,
  Executor,
  FailureMode,
  GangLayout,
  PoolGatewayType,
  RoutingStrategy,
  WorkloadMode,
} from "./vocabulary.ts";

/**
 * The arguments of an InferenceService.
 *
 * Whatever decides which objects exist is plain: names, counts, accelerators, ports. Other values of a pod
 * template may be Outputs. Defaults are those of the schema in `pulumi-inference/sdk`, which validates them.
 */
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
  /**
   * Whether creating and updating wait until the service works: every role has its `minReplicas` ready on its
   * current template, the endpoint picker's Deployment is available, and a gateway has accepted the route and found its
   * pool. Default false: a service that has
   * started in part, for want of accelerators, is a success.
   *
   * New objects are awaited before old ones go. Where the new need what the old hold, such as the accelerators of a
   * renamed role or the names of a changed `workload`, waiting never ends: make such an edit with `waitFor` off.
   *
   * `"Available"` waits for one thing, the condition Available of the status object, which the status controller
   * sets; while it waits, the condition's message says per role what is missing.
   *
   * Of a role with one LeaderWorkerSet a replica, the first `minReplicas` are waited for. Waiting ends with an
   * error after an hour a LeaderWorkerSet, or after the `customTimeouts` of the service.
   */
  waitFor?: WaitFor;
  /**
   * Plugins that customise the pods of the roles, in the order in which they run. The built-in ones are told in
   * docs/pod-plugins.md; those of the program are handed in as option `podPlugins`.
   */
  plugins?: PodPlugin[];
  /** Models that the service's pool serves; requests for any other are then refused. Needs a router. */
  models?: Model[];
  /** Rules by which the service's pool rewrites models. Needs a router. */
  rewrites?: RewriteRule[];
  /**
   * Whether the service has an object of its own kind in the cluster (`fusioninfer.io/v1alpha1`), on which the status
   * controller writes how every role is doing. Nothing is built from it by this project. Where FusionInfer's operator
   * runs, leave it out: that operator would build the service a second time. Where only its CRD is installed, set stack
   * configuration `pulumi-inference:statusSchema` to `fusioninfer`: what that schema does not have then goes into
   * an annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
}

/** What creating and updating wait for: nothing, the service to work, or its own condition Available. */
export type WaitFor = boolean | "Available";

/** What all objects of a service share. */
export interface Metadata {
  /** Prefix of every object's name. Default: the name of the resource. Changing it replaces every object. */
  name?: string;
  /**
   * Namespace of the objects, such as `ns.metadata.name` of a Namespace of the program; it must exist. Default
   * `default`. Changing it replaces every object.
   */
  namespace?: pulumi.Input<string>;
  /** Labels of every object. The prefixes `fusioninfer.io/` and `leaderworkerset.sigs.k8s.io/` are taken. */
  labels?: Record<string, string>;
  /** Annotations of every object. */
  annotations?: Record<string, string>;
}

/** One part of a service: pods that run an inference engine, or the router before them; `componentType` tells which. */
export type Role = EngineRole | RouterRole;

/** What the pods of an engine do. */
export type EngineType = Exclude<ComponentType, "router">;

/** Pods that run an inference engine. */
export interface EngineRole {
  /** A DNS label, unique in the service. Part of object names; changing it replaces the role's objects. */
  name: string;
  /**
   * What the pods do: a `worker` serves whole requests; a `prefiller` reads prompts, for a `decoder` to continue. These
   * two need each other.
   */
  componentType: EngineType;
  /** Instances of the engine. Default 1; 0 stops the role. */
  replicas?: number;
  /**
   * Replicas that must start together with the other gang roles' minimum, and that `waitFor` waits for.
   * Default 1.
   */
  minReplicas?: number;
  /** Makes every replica a group of pods that are one engine. */
  multinode?: Multinode;
  /** Plugins for this role's pods, which run after those of the service. */
  plugins?: PodPlugin[];
  /** Pod template of the engine. */
  template: PodTemplate;
}

/** What stands before the engines: an endpoint picker, an InferencePool and, where asked for, a route. */
export interface RouterRole extends RouterFields {
  /** A DNS label, unique in the service. */
  name: string;
  /** `router`: routes requests to the pods of the other roles. */
  componentType: "router";
  /** Pods of the endpoint picker. Default 1. */
  replicas?: number;
}

/** What a router has and no other role; with where the pods of its endpoint picker run and on what. */
export interface RouterFields extends ProgramPods {
  /** Router: how a request finds its pod. Default `pd-disaggregation` with prefillers and decoders, else `prefix-cache`. */
  strategy?: RoutingStrategy;
  /** Router: the endpoint picker's configuration as YAML, in place of a strategy. */
  endpointPickerConfig?: string;
  /**
   * Router: creates an HTTPRoute. Its rules are kept; their backend is the service's pool. Without rules it serves the
   * paths of clients' APIs; `rules: [{}]` serves every path, the engine's metrics and administration among them.
   */
  httproute?: HttpRoute;
  /**
   * Router: `type` is the kind of gateway, which may need objects of its own beside the pool: `generic`, `istio`, `gke`,
   * `envoy-gateway`, `kgateway`, `agentgateway`, `ngf`; default: as gatewayClassName tells, else `generic`. The rest is the
   * spec of a Gateway (`gateway.networking.k8s.io/v1`) to create, which the route attaches to; without it none is.
   */
  gateway?: RouterGateway;
  /**
   * Router: image of the endpoint picker. Default: stack configuration `pulumi-inference:image`, else this
   * project's image of this version.
   */
  image?: pulumi.Input<string>;
  /** Router: port of the model servers. Default: the engine's port named `http`, else its only port, else 8000. */
  targetPort?: number;
  /** Router: what the gateway does while the endpoint picker is gone. Default `FailClose`. */
  failureMode?: FailureMode;
  /** Router: whether the picker's /metrics asks for a token that may read it; needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Seconds for which running answers may go on when a pod of the picker ends. Default 600. */
  drainSeconds?: number;
  /** Whether the picker follows every answer to its end, for metrics of answers. Default false. */
  followResponses?: boolean;
  /** Router: exports the service's pool to the other clusters of its set. */
  export?: Export;
}

/** The gateway of a router: its kind, and the spec of the Gateway (`gateway.networking.k8s.io/v1`) to create. */
export interface RouterGateway extends Partial<GatewaySpec> {
  /** Kind of the gateway. Default: as gatewayClassName tells, else `generic`. */
  type?: PoolGatewayType;
}

/** Replicas of several pods. */
export interface Multinode {
  /** Pods of one replica, leader included. 1 is the same as no `multinode`. */
  nodeCount: number;
  /**
   * How the pods of a replica form one engine: `ray`, a Ray cluster that the leader starts and the workers join; `mp`,
   * vLLM's own way without Ray; `sglang`, SGLang's own; `custom`, what the template's commands do. Default `sglang` where
   * the template starts SGLang, else `ray`.
   */
  executor?: Executor;
  /** Whether the pods of a replica must run on different nodes. Default false: pods that fill a node do anyway. */
  distinctNodes?: boolean;
}

/** Spec of the HTTPRoute (`gateway.networking.k8s.io/v1`) that leads to a service. */
export interface HttpRoute {
  /** Gateways to attach to: `name`, and `namespace`, `sectionName`, `port` where needed. */
  parentRefs?: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<pulumi.Input<string>[]>;
  /** Matches, filters and timeouts of the rules. Their backendRefs are the service's pool. Default: one rule, all paths. */
  rules?: HTTPRouteRule[];
}

/** How the pods of a service are scheduled. */
export interface SchedulingStrategy {
  /** Scheduler of all pods of every role. Default: `volcano` for roles in a gang, else the cluster's. */
  schedulerName?: string;
  /** Volcano queue of the gang. Default: Volcano's. */
  queue?: string;
  /** PriorityClass of the gang and of the pods. Default: the cluster's. */
  priorityClassName?: string;
  /** How the pods that need each other start. */
  gang?: Gang;
}

/** Multi-node roles, and prefillers with decoders, are in the gang. */
export interface Gang {
  /**
   * Which pods start together. `subGroup`: each replica whole, and every gang role's minReplicas together; needs Volcano
   * 1.14.1 or later. `task`: all replicas of all gang roles. `none`: pods one by one, without a PodGroup. Default
   * `subGroup`.
   */
  layout?: GangLayout;
}
