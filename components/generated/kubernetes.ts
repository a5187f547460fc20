// Made from kubernetes/kinds by scripts/kubernetes-types.ts; change the schemas, not this file.

import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

export interface AllowedRoutes {
  /** Namespaces of the routes. Default: the Gateway's namespace. */
  namespaces?: pulumi.Input<RouteNamespaces>;
  /** Kinds of the routes. Default: the kinds of the listener's protocol. */
  kinds?: pulumi.Input<pulumi.Input<RouteGroupKind>[]>;
}

export interface CertificateReference {
  /** API group of the object. Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the object. Default `Secret`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Namespace of the object. Default: the Gateway's namespace. */
  namespace?: pulumi.Input<string>;
}

export interface GatewayAddress {
  /** IPAddress, Hostname or a type that the controller defines. Default `IPAddress`. */
  type?: pulumi.Input<string>;
  /** Address. Default: the controller selects one of the type. */
  value?: pulumi.Input<string>;
}

export interface GatewayInfrastructure {
  labels?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  annotations?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Object in the same namespace. */
  parametersRef?: pulumi.Input<LocalReference>;
}

export interface GatewayListener {
  /** Name of the listener, unique in the Gateway. Routes refer to it as `sectionName`. */
  name: pulumi.Input<string>;
  /** Host name that the listener serves. Default: any. */
  hostname?: pulumi.Input<string>;
  port: pulumi.Input<number>;
  /** HTTP, HTTPS, TLS, TCP or UDP, or a protocol that the controller defines. */
  protocol: pulumi.Input<string>;
  /** TLS settings. Required for HTTPS and TLS. */
  tls?: pulumi.Input<ListenerTls>;
  /**
   * Routes that may attach. Default: routes of the protocol's kinds, such as HTTPRoutes, in the Gateway's namespace.
   */
  allowedRoutes?: pulumi.Input<AllowedRoutes>;
}

export interface GatewaySpec {
  /** GatewayClass, which selects the controller that serves the Gateway. */
  gatewayClassName: pulumi.Input<string>;
  /** Ports and protocols that routes attach to. At least one. */
  listeners: pulumi.Input<pulumi.Input<GatewayListener>[]>;
  /** Addresses that are requested from the controller. Default: the controller selects them. */
  addresses?: pulumi.Input<pulumi.Input<GatewayAddress>[]>;
  /** Labels, annotations and parameters of the objects that the controller creates for the Gateway. */
  infrastructure?: pulumi.Input<GatewayInfrastructure>;
  /** Experimental channel. */
  allowedListeners?: pulumi.Inputs;
  /** Experimental channel. */
  backendTLS?: pulumi.Inputs;
  /** Experimental channel. */
  defaultScope?: pulumi.Input<string>;
  /** Experimental channel. */
  tls?: pulumi.Inputs;
}

export interface ListenerTls {
  /** Terminate or Passthrough. Default `Terminate`. */
  mode?: pulumi.Input<string>;
  /** Secrets with the serving certificates. */
  certificateRefs?: pulumi.Input<pulumi.Input<CertificateReference>[]>;
  /** Settings that the controller defines. */
  options?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Experimental channel. */
  frontendValidation?: pulumi.Inputs;
}

export interface RouteGroupKind {
  /** API group of the routes. Default `gateway.networking.k8s.io`. */
  group?: pulumi.Input<string>;
  kind: pulumi.Input<string>;
}

export interface RouteNamespaces {
  /** All, Same or Selector. Default `Same`. */
  from?: pulumi.Input<string>;
  /** Labels of namespaces. Used if `from` is Selector. */
  selector?: pulumi.Input<types.input.meta.v1.LabelSelector>;
}

/** Object in the same namespace. */
export interface LocalReference {
  group: pulumi.Input<string>;
  kind: pulumi.Input<string>;
  name: pulumi.Input<string>;
}

export interface ParentReference {
  /** API group of the parent. Default `gateway.networking.k8s.io`. */
  group?: pulumi.Input<string>;
  /** Kind of the parent. Default `Gateway`. */
  kind?: pulumi.Input<string>;
  /** Namespace of the parent. Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Listener of the gateway. Default: all listeners. */
  sectionName?: pulumi.Input<string>;
  /** Port of the Gateway; selects its listeners on this port. */
  port?: pulumi.Input<number>;
}

export interface HTTPBackendRef {
  /** API group of the backend. Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the backend. Default `Service`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Namespace of the backend. Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  /** Port of the backend. Required for a Service. */
  port?: pulumi.Input<number>;
  /** Weight of the backend: its share is the weight divided by the sum of the rule's weights. Default 1. */
  weight?: pulumi.Input<number>;
  filters?: pulumi.Input<pulumi.Input<HTTPRouteFilter>[]>;
}

export interface HTTPPathMatch {
  /** Exact, PathPrefix or RegularExpression. Default `PathPrefix`. */
  type?: pulumi.Input<string>;
  /** Value that the path is compared with. Default `/`. */
  value?: pulumi.Input<string>;
}

/** Conditions on a request, all of which must match. */
export interface HTTPRouteMatch {
  /** Path to match. Default: every path. */
  path?: pulumi.Input<HTTPPathMatch>;
  headers?: pulumi.Input<pulumi.Input<HTTPValueMatch>[]>;
  queryParams?: pulumi.Input<pulumi.Input<HTTPValueMatch>[]>;
  /** HTTP method, such as GET or POST. Default: any. */
  method?: pulumi.Input<string>;
}

export interface HTTPRouteRule {
  name?: pulumi.Input<string>;
  /** Matches of the rule. A request uses the rule if one of them matches. Default: every request. */
  matches?: pulumi.Input<pulumi.Input<HTTPRouteMatch>[]>;
  /** Changes to requests and responses that pass through the rule. */
  filters?: pulumi.Input<pulumi.Input<HTTPRouteFilter>[]>;
  /** Backends that receive the requests, by weight. */
  backendRefs?: pulumi.Input<pulumi.Input<HTTPBackendRef>[]>;
  /** Time limits, as durations such as `30s`; `0s` disables a limit. */
  timeouts?: pulumi.Input<HTTPRouteTimeouts>;
  /** Experimental channel. */
  retry?: pulumi.Inputs;
  /** Experimental channel. */
  sessionPersistence?: pulumi.Inputs;
}

export interface HTTPRouteSpec {
  /** Gateways, or other parents, that the route attaches to. */
  parentRefs?: pulumi.Input<pulumi.Input<ParentReference>[]>;
  /** Host names that the route serves. Default: the host names of the parent's listeners. */
  hostnames?: pulumi.Input<pulumi.Input<string>[]>;
  rules?: pulumi.Input<pulumi.Input<HTTPRouteRule>[]>;
  /** Experimental channel. */
  useDefaultGateways?: pulumi.Input<string>;
}

/** Time limits, as durations such as `30s`; `0s` disables a limit. */
export interface HTTPRouteTimeouts {
  /** Time limit from the start of a request to the end of its response. */
  request?: pulumi.Input<string>;
  /** Time limit of one attempt at the backend. */
  backendRequest?: pulumi.Input<string>;
}

/** Header or query parameter to match. */
export interface HTTPValueMatch {
  /** Exact or RegularExpression. Default `Exact`. */
  type?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  value: pulumi.Input<string>;
}

export interface HTTPHeader {
  name: pulumi.Input<string>;
  value: pulumi.Input<string>;
}

export interface HTTPHeaderModifier {
  /** Headers to set. They replace existing headers of the same name. */
  set?: pulumi.Input<pulumi.Input<HTTPHeader>[]>;
  add?: pulumi.Input<pulumi.Input<HTTPHeader>[]>;
  /** Names of headers to remove. */
  remove?: pulumi.Input<pulumi.Input<string>[]>;
}

export interface HTTPPathModifier {
  /** ReplaceFullPath or ReplacePrefixMatch: which of the other two fields is set. */
  type: pulumi.Input<string>;
  replaceFullPath?: pulumi.Input<string>;
  replacePrefixMatch?: pulumi.Input<string>;
}

/** Backend that receives a copy of the requests. Its responses are discarded. Default: all requests are copied. */
export interface HTTPRequestMirror {
  backendRef: pulumi.Input<MirrorBackendRef>;
  percent?: pulumi.Input<number>;
  fraction?: pulumi.Input<MirrorFraction>;
}

export interface HTTPRequestRedirect {
  /** http or https. */
  scheme?: pulumi.Input<string>;
  hostname?: pulumi.Input<string>;
  path?: pulumi.Input<HTTPPathModifier>;
  port?: pulumi.Input<number>;
  /** 301 or 302. Default 302. */
  statusCode?: pulumi.Input<number>;
}

export interface HTTPRouteFilter {
  /**
   * RequestHeaderModifier, ResponseHeaderModifier, RequestMirror, RequestRedirect, URLRewrite or ExtensionRef: which of
   * the other fields is set.
   */
  type: pulumi.Input<string>;
  requestHeaderModifier?: pulumi.Input<HTTPHeaderModifier>;
  responseHeaderModifier?: pulumi.Input<HTTPHeaderModifier>;
  /** Backend that receives a copy of the requests. Its responses are discarded. Default: all requests are copied. */
  requestMirror?: pulumi.Input<HTTPRequestMirror>;
  requestRedirect?: pulumi.Input<HTTPRequestRedirect>;
  urlRewrite?: pulumi.Input<HTTPUrlRewrite>;
  /** Filter object of a kind that the gateway's controller defines. */
  extensionRef?: pulumi.Input<LocalReference>;
  /** Experimental channel. */
  cors?: pulumi.Inputs;
  /** Experimental channel. */
  externalAuth?: pulumi.Inputs;
}

export interface HTTPUrlRewrite {
  hostname?: pulumi.Input<string>;
  path?: pulumi.Input<HTTPPathModifier>;
}

export interface MirrorBackendRef {
  /** API group of the backend. Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the backend. Default `Service`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Namespace of the backend. Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  /** Port of the backend. Required for a Service. */
  port?: pulumi.Input<number>;
}

export interface MirrorFraction {
  numerator: pulumi.Input<number>;
  /** Denominator of the fraction. Default 100. */
  denominator?: pulumi.Input<number>;
}

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

export interface EndpointPickerRef {
  /** API group of the picker. Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the picker. Default `Service`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Port of the picker. Required for a Service. */
  port?: pulumi.Input<{ number: pulumi.Input<number> }>;
  /** Whether requests are rejected or sent to any pod while the picker does not respond. Default `FailClose`. */
  failureMode?: pulumi.Input<"FailClose" | "FailOpen">;
}

export interface InferencePoolParentStatus {
  parentRef: { group?: string; kind?: string; name: string; namespace?: string };
  controllerName?: string;
  /** Accepted, ResolvedRefs. */
  conditions?: Condition[];
}

export interface InferencePoolSpec {
  /** Labels that select the pods of the pool. */
  selector: pulumi.Input<{ matchLabels: pulumi.Input<Record<string, pulumi.Input<string>>> }>;
  /** Ports that the model servers listen on. */
  targetPorts: pulumi.Input<pulumi.Input<{ number: pulumi.Input<number> }>[]>;
  /** Protocol of the model servers. Default `http`. */
  appProtocol?: pulumi.Input<"http" | "kubernetes.io/h2c">;
  /** Service of the endpoint picker, which selects the pod of each request. */
  endpointPickerRef: pulumi.Input<EndpointPickerRef>;
}

export interface InferencePoolStatus {
  parents?: InferencePoolParentStatus[];
}

export interface LeaderWorkerSetSpec {
  /** Number of groups. Default 1. */
  replicas?: pulumi.Input<number>;
  /** Whether workers are created together with the leader or once it is ready. Default `LeaderCreated`. */
  startupPolicy?: pulumi.Input<"LeaderCreated" | "LeaderReady">;
  /** How groups are updated to a changed template. */
  rolloutStrategy?: pulumi.Input<RolloutStrategy>;
  networkConfig?: pulumi.Input<NetworkConfig>;
  leaderWorkerTemplate: pulumi.Input<LeaderWorkerTemplate>;
}

export interface LeaderWorkerSetStatus {
  /** Number of existing groups. */
  replicas?: number;
  /** Number of groups whose pods are all ready. */
  readyReplicas?: number;
  /** Number of groups that run the current template. */
  updatedReplicas?: number;
  observedGeneration?: number;
  /** Selector of the leader pods, for autoscaling. */
  hpaPodSelector?: string;
  /** Available, Progressing, UpdateInProgress. */
  conditions?: Condition[];
}

export interface LeaderWorkerTemplate {
  /** Pods per group, including the leader. Default 1. */
  size?: pulumi.Input<number>;
  /** Template of the leader. Default: the workers' template. */
  leaderTemplate?: pulumi.Input<types.input.core.v1.PodTemplateSpec>;
  /** Template of the workers. */
  workerTemplate: pulumi.Input<types.input.core.v1.PodTemplateSpec>;
  /**
   * Action when a pod of a group restarts. RecreateGroupAfterStart recreates the group only once all its pods have
   * started. Default `RecreateGroupOnPodRestart`.
   */
  restartPolicy?: pulumi.Input<"RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None">;
  /** Sub-groups of a group. They cannot be added, removed or resized later. */
  subGroupPolicy?: pulumi.Input<SubGroupPolicy>;
  /** PersistentVolumeClaims, one of each per pod. Immutable. */
  volumeClaimTemplates?: pulumi.Input<pulumi.Input<types.input.core.v1.PersistentVolumeClaim>[]>;
  /** Whether claims are kept: Retain or Delete. */
  persistentVolumeClaimRetentionPolicy?: pulumi.Input<types.input.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy>;
}

export interface NetworkConfig {
  /** One headless Service for the set, or one for each group. */
  subdomainPolicy: pulumi.Input<"Shared" | "UniquePerReplica">;
}

/** Settings of a rolling update. Always set it: the controller fails on a LeaderWorkerSet without it. */
export interface RollingUpdateConfiguration {
  /** Index below which groups keep the old template. Default 0. */
  partition?: pulumi.Input<number>;
  /** Groups that may be unavailable during an update, as a count or a percentage. Default 1. */
  maxUnavailable?: pulumi.Input<number | string>;
  /** Groups above `replicas` during an update, as a count or a percentage. Default 0. */
  maxSurge?: pulumi.Input<number | string>;
}

export interface RolloutStrategy {
  type: pulumi.Input<"RollingUpdate">;
  /** Settings of a rolling update. Always set it: the controller fails on a LeaderWorkerSet without it. */
  rollingUpdateConfiguration?: pulumi.Input<RollingUpdateConfiguration>;
}

export interface SubGroupPolicy {
  /** Whether the leader belongs to the first sub-group or to none. Default `LeaderWorker`. */
  subGroupPolicyType?: pulumi.Input<"LeaderWorker" | "LeaderExcluded">;
  /** Pods per sub-group. It must divide the group's size, or its size without the leader. */
  subGroupSize: pulumi.Input<number>;
}

export interface NetworkTopology {
  /** Whether the tier is required (hard) or preferred (soft). Default `hard`. */
  mode?: pulumi.Input<"hard" | "soft">;
  /** Highest topology tier that the pods may span. Not allowed with highestTierName. */
  highestTierAllowed?: pulumi.Input<number>;
  /** Name of the highest topology tier that the pods may span. */
  highestTierName?: pulumi.Input<string>;
}

export interface PodGroupCondition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
  transitionID?: string;
  lastTransitionTime?: string;
}

export interface PodGroupSpec {
  /** Number of pods that must be schedulable before any pod starts. */
  minMember?: pulumi.Input<number>;
  /**
   * Minimum number of pods of each task, by task name. It takes effect only if minMember is at least the sum of the
   * values.
   */
  minTaskMember?: pulumi.Input<Record<string, pulumi.Input<number>>>;
  /** Resources that must be free before the scheduler considers the group. */
  minResources?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** Volcano queue of the group. Default `default`. */
  queue?: pulumi.Input<string>;
  /** PriorityClass of the group. */
  priorityClassName?: pulumi.Input<string>;
  networkTopology?: pulumi.Input<NetworkTopology>;
  /** Sub-groups that start as a whole. Needs Volcano 1.14.1 or later. Not allowed with minTaskMember. */
  subGroupPolicy?: pulumi.Input<pulumi.Input<PodGroupSubGroup>[]>;
}

export interface PodGroupStatus {
  phase?: "Pending" | "Inqueue" | "Running" | "Unknown" | "Completed";
  running?: number;
  succeeded?: number;
  failed?: number;
  /** History of conditions. The newest one with status True is current. */
  conditions?: PodGroupCondition[];
}

export interface PodGroupSubGroup {
  name?: pulumi.Input<string>;
  /** Pods that the policy applies to. */
  labelSelector?: pulumi.Input<types.input.meta.v1.LabelSelector>;
  /** Label keys. Pods with equal values of these labels form one sub-group. Without keys, no pod matches. */
  matchLabelKeys?: pulumi.Input<pulumi.Input<string>[]>;
  /** Pods of a sub-group that start together. Default 1. */
  subGroupSize?: pulumi.Input<number>;
  /** Minimum number of sub-groups that the gang needs. Default 0. */
  minSubGroups?: pulumi.Input<number>;
  networkTopology?: pulumi.Input<NetworkTopology>;
}

export interface QueueGuarantee {
  resource?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
}

export interface QueueSpec {
  /** Weight relative to other queues with the same parent. Default 1. */
  weight?: pulumi.Input<number>;
  /** Maximum resources that the queue may use, by resource. */
  capability?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** Resources that the queue is entitled to, by resource. Resources above it can be reclaimed. */
  deserved?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** Resources reserved for the queue, by resource. */
  guarantee?: pulumi.Input<QueueGuarantee>;
  /** Whether other queues may reclaim the resources that the queue uses above its share. */
  reclaimable?: pulumi.Input<boolean>;
  parent?: pulumi.Input<string>;
  priority?: pulumi.Input<number>;
  type?: pulumi.Input<string>;
  /** Order in which the queue's jobs are considered. Default `traverse`. */
  dequeueStrategy?: pulumi.Input<"traverse" | "fifo">;
  affinity?: pulumi.Input<Record<string, unknown>>;
  extendClusters?: pulumi.Input<pulumi.Input<Record<string, unknown>>[]>;
}

export interface QueueStatus {
  /** State of the queue. PodGroups can be submitted only while it is Open. */
  state?: "Open" | "Closed" | "Closing" | "Unknown";
  pending?: number;
  running?: number;
  unknown?: number;
  inqueue?: number;
  completed?: number;
  allocated?: Record<string, string>;
  reservation?: { nodes?: string[]; resource?: Record<string, number | string> };
}
