// Made from kubernetes/kinds by scripts/kubernetes-types.ts; change the schemas, not this file.

import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

export interface AllowedRoutes {
  /** Namespaces of the routes. Default: the gateway's own. */
  namespaces?: pulumi.Input<RouteNamespaces>;
  /** Kinds of the routes. Default: those of the listener's protocol. */
  kinds?: pulumi.Input<pulumi.Input<RouteGroupKind>[]>;
}

export interface CertificateReference {
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the object. Default `Secret`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Default: the gateway's. */
  namespace?: pulumi.Input<string>;
}

export interface GatewayAddress {
  /** IPAddress, Hostname or a word of the controller's own. Default `IPAddress`. */
  type?: pulumi.Input<string>;
  /** Default: the controller chooses one of the type. */
  value?: pulumi.Input<string>;
}

export interface GatewayInfrastructure {
  labels?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  annotations?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** An object in the same namespace. */
  parametersRef?: pulumi.Input<LocalReference>;
}

export interface GatewayListener {
  /** Unique in the gateway; a route's `sectionName`. */
  name: pulumi.Input<string>;
  /** Host names that the listener takes. Default: any. */
  hostname?: pulumi.Input<string>;
  port: pulumi.Input<number>;
  /** HTTP, HTTPS, TLS, TCP or UDP, or a word of the controller's own. */
  protocol: pulumi.Input<string>;
  /** Needed with HTTPS and TLS. */
  tls?: pulumi.Input<ListenerTls>;
  /** Routes that may attach. Default: HTTPRoutes and the like of the gateway's own namespace. */
  allowedRoutes?: pulumi.Input<AllowedRoutes>;
}

export interface GatewaySpec {
  /** Which controller serves the gateway. */
  gatewayClassName: pulumi.Input<string>;
  /** Ports and protocols that routes attach to. At least one. */
  listeners: pulumi.Input<pulumi.Input<GatewayListener>[]>;
  /** Addresses that the controller is asked for. Default: it chooses. */
  addresses?: pulumi.Input<pulumi.Input<GatewayAddress>[]>;
  /** Marks and parameters of what the controller makes for the gateway. */
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
  /** Secrets with the certificates that are served. */
  certificateRefs?: pulumi.Input<pulumi.Input<CertificateReference>[]>;
  /** Settings of the controller's own. */
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
  /** Labels of namespaces, where `from` is Selector. */
  selector?: pulumi.Input<types.input.meta.v1.LabelSelector>;
}

/** An object in the same namespace. */
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
  /** Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Listener of the gateway. Default: all. */
  sectionName?: pulumi.Input<string>;
  /** Listeners on one port of the Gateway. */
  port?: pulumi.Input<number>;
}

export interface HTTPBackendRef {
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the backend. Default `Service`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  /** Needed where the backend is a Service. */
  port?: pulumi.Input<number>;
  /** Share of requests against the rule's other backends. Default 1. */
  weight?: pulumi.Input<number>;
  filters?: pulumi.Input<pulumi.Input<HTTPRouteFilter>[]>;
}

export interface HTTPPathMatch {
  /** Exact, PathPrefix or RegularExpression. Default `PathPrefix`. */
  type?: pulumi.Input<string>;
  /** What the path is compared with. Default `/`. */
  value?: pulumi.Input<string>;
}

/** Requests that have all of these. */
export interface HTTPRouteMatch {
  /** Default: every path. */
  path?: pulumi.Input<HTTPPathMatch>;
  headers?: pulumi.Input<pulumi.Input<HTTPValueMatch>[]>;
  queryParams?: pulumi.Input<pulumi.Input<HTTPValueMatch>[]>;
  /** GET, POST and so on. Default: any. */
  method?: pulumi.Input<string>;
}

export interface HTTPRouteRule {
  name?: pulumi.Input<string>;
  /** A request takes the rule when one of the matches fits. Default: every request. */
  matches?: pulumi.Input<pulumi.Input<HTTPRouteMatch>[]>;
  /** What is done to requests and responses on their way. */
  filters?: pulumi.Input<pulumi.Input<HTTPRouteFilter>[]>;
  /** The backends that requests go to, by weight. */
  backendRefs?: pulumi.Input<pulumi.Input<HTTPBackendRef>[]>;
  /** Durations such as `30s`; `0s` is none. */
  timeouts?: pulumi.Input<HTTPRouteTimeouts>;
  /** Experimental channel. */
  retry?: pulumi.Inputs;
  /** Experimental channel. */
  sessionPersistence?: pulumi.Inputs;
}

export interface HTTPRouteSpec {
  /** Gateways, or other parents, that the route attaches to. */
  parentRefs?: pulumi.Input<pulumi.Input<ParentReference>[]>;
  /** Host names the route serves. Default: those of the parent's listeners. */
  hostnames?: pulumi.Input<pulumi.Input<string>[]>;
  rules?: pulumi.Input<pulumi.Input<HTTPRouteRule>[]>;
  /** Experimental channel. */
  useDefaultGateways?: pulumi.Input<string>;
}

/** Durations such as `30s`; `0s` is none. */
export interface HTTPRouteTimeouts {
  /** From a request's start to the end of its answer. */
  request?: pulumi.Input<string>;
  /** Time limit of one attempt at the backend. */
  backendRequest?: pulumi.Input<string>;
}

/** A header or a query parameter. */
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
  /** Written over what is there. */
  set?: pulumi.Input<pulumi.Input<HTTPHeader>[]>;
  add?: pulumi.Input<pulumi.Input<HTTPHeader>[]>;
  /** Names. */
  remove?: pulumi.Input<pulumi.Input<string>[]>;
}

export interface HTTPPathModifier {
  /** ReplaceFullPath or ReplacePrefixMatch: which of the other two is set. */
  type: pulumi.Input<string>;
  replaceFullPath?: pulumi.Input<string>;
  replacePrefixMatch?: pulumi.Input<string>;
}

/** A copy of requests, whose answers are dropped. Default: of all. */
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
  /** A copy of requests, whose answers are dropped. Default: of all. */
  requestMirror?: pulumi.Input<HTTPRequestMirror>;
  requestRedirect?: pulumi.Input<HTTPRequestRedirect>;
  urlRewrite?: pulumi.Input<HTTPUrlRewrite>;
  /** An object of the gateway's own. */
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
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the backend. Default `Service`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  /** Needed where the backend is a Service. */
  port?: pulumi.Input<number>;
}

export interface MirrorFraction {
  numerator: pulumi.Input<number>;
  /** What the numerator is a share of. Default 100. */
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
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Kind of the picker. Default `Service`. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Needed where the picker is a Service. */
  port?: pulumi.Input<{ number: pulumi.Input<number> }>;
  /** Whether requests are refused or go to any pod while the picker does not answer. Default `FailClose`. */
  failureMode?: pulumi.Input<"FailClose" | "FailOpen">;
}

export interface InferencePoolParentStatus {
  parentRef: { group?: string; kind?: string; name: string; namespace?: string };
  controllerName?: string;
  /** Accepted, ResolvedRefs. */
  conditions?: Condition[];
}

export interface InferencePoolSpec {
  /** Pods of the pool. */
  selector: pulumi.Input<{ matchLabels: pulumi.Input<Record<string, pulumi.Input<string>>> }>;
  /** Ports that the model servers listen on. */
  targetPorts: pulumi.Input<pulumi.Input<{ number: pulumi.Input<number> }>[]>;
  /** Protocol of the model servers. Default `http`. */
  appProtocol?: pulumi.Input<"http" | "kubernetes.io/h2c">;
  /** Service that picks the pod of a request. */
  endpointPickerRef: pulumi.Input<EndpointPickerRef>;
}

export interface InferencePoolStatus {
  parents?: InferencePoolParentStatus[];
}

export interface LeaderWorkerSetSpec {
  /** Groups. Default 1. */
  replicas?: pulumi.Input<number>;
  /** Whether workers are created with the leader or once it is ready. Default `LeaderCreated`. */
  startupPolicy?: pulumi.Input<"LeaderCreated" | "LeaderReady">;
  /** How a changed template reaches the groups. */
  rolloutStrategy?: pulumi.Input<RolloutStrategy>;
  networkConfig?: pulumi.Input<NetworkConfig>;
  leaderWorkerTemplate: pulumi.Input<LeaderWorkerTemplate>;
}

export interface LeaderWorkerSetStatus {
  /** Groups that exist. */
  replicas?: number;
  /** Groups whose pods are all ready. */
  readyReplicas?: number;
  /** Groups that run the current template. */
  updatedReplicas?: number;
  observedGeneration?: number;
  /** Selects the leaders, for autoscaling. */
  hpaPodSelector?: string;
  /** Available, Progressing, UpdateInProgress. */
  conditions?: Condition[];
}

export interface LeaderWorkerTemplate {
  /** Pods of a group, leader included. Default 1. */
  size?: pulumi.Input<number>;
  /** Template of the leader. Default: the workers'. */
  leaderTemplate?: pulumi.Input<types.input.core.v1.PodTemplateSpec>;
  /** Template of the workers. */
  workerTemplate: pulumi.Input<types.input.core.v1.PodTemplateSpec>;
  /**
   * What follows when a pod of a group restarts. RecreateGroupAfterStart recreates the group only once all its pods
   * have started. Default `RecreateGroupOnPodRestart`.
   */
  restartPolicy?: pulumi.Input<"RecreateGroupOnPodRestart" | "RecreateGroupAfterStart" | "None">;
  /** Sub-groups of a group. Cannot be added, removed or resized later. */
  subGroupPolicy?: pulumi.Input<SubGroupPolicy>;
  /** PersistentVolumeClaims that every pod gets one of. Cannot be changed. */
  volumeClaimTemplates?: pulumi.Input<pulumi.Input<types.input.core.v1.PersistentVolumeClaim>[]>;
  /** Whether claims are kept: Retain or Delete. */
  persistentVolumeClaimRetentionPolicy?: pulumi.Input<types.input.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy>;
}

export interface NetworkConfig {
  /** One headless Service for the set, or one for each group. */
  subdomainPolicy: pulumi.Input<"Shared" | "UniquePerReplica">;
}

/** Always write it out: the controller fails on a LeaderWorkerSet that lacks it. */
export interface RollingUpdateConfiguration {
  /** Groups below this index keep the old template. Default 0. */
  partition?: pulumi.Input<number>;
  /** Groups that may be down during an update, a count or a percentage. Default 1. */
  maxUnavailable?: pulumi.Input<number | string>;
  /** Groups above `replicas` during an update, a count or a percentage. Default 0. */
  maxSurge?: pulumi.Input<number | string>;
}

export interface RolloutStrategy {
  type: pulumi.Input<"RollingUpdate">;
  /** Always write it out: the controller fails on a LeaderWorkerSet that lacks it. */
  rollingUpdateConfiguration?: pulumi.Input<RollingUpdateConfiguration>;
}

export interface SubGroupPolicy {
  /** Whether the leader is in the first sub-group or outside all. Default `LeaderWorker`. */
  subGroupPolicyType?: pulumi.Input<"LeaderWorker" | "LeaderExcluded">;
  /** Pods of a sub-group; divides the group's size, or its size without the leader. */
  subGroupSize: pulumi.Input<number>;
}

export interface NetworkTopology {
  /** Whether the tier is a must or a wish. Default `hard`. */
  mode?: pulumi.Input<"hard" | "soft">;
  /** Highest topology tier that the pods may span. Not together with highestTierName. */
  highestTierAllowed?: pulumi.Input<number>;
  /** The same, by the tier's name. */
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
  /** Pods that must be schedulable before any starts. */
  minMember?: pulumi.Input<number>;
  /** Pods of each task among minMember. Counts only where minMember is at least their sum. */
  minTaskMember?: pulumi.Input<Record<string, pulumi.Input<number>>>;
  /** What must be free before the scheduler considers the group. */
  minResources?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** Queue of Volcano that the group draws from. Default `default`. */
  queue?: pulumi.Input<string>;
  /** Priority of the group among others. */
  priorityClassName?: pulumi.Input<string>;
  networkTopology?: pulumi.Input<NetworkTopology>;
  /** Sub-groups that start whole; needs Volcano 1.14.1. Not together with minTaskMember. */
  subGroupPolicy?: pulumi.Input<pulumi.Input<PodGroupSubGroup>[]>;
}

export interface PodGroupStatus {
  phase?: "Pending" | "Inqueue" | "Running" | "Unknown" | "Completed";
  running?: number;
  succeeded?: number;
  failed?: number;
  /** A history: the newest condition with status True holds. */
  conditions?: PodGroupCondition[];
}

export interface PodGroupSubGroup {
  name?: pulumi.Input<string>;
  /** Pods that the policy is for. */
  labelSelector?: pulumi.Input<types.input.meta.v1.LabelSelector>;
  /** Pods with equal values of these labels form one sub-group. Without keys no pod matches. */
  matchLabelKeys?: pulumi.Input<pulumi.Input<string>[]>;
  /** Pods of a sub-group that start together. Default 1. */
  subGroupSize?: pulumi.Input<number>;
  /** Sub-groups that the gang needs. Default 0. */
  minSubGroups?: pulumi.Input<number>;
  networkTopology?: pulumi.Input<NetworkTopology>;
}

export interface QueueGuarantee {
  resource?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
}

export interface QueueSpec {
  /** Share against other queues of one parent. Default 1. */
  weight?: pulumi.Input<number>;
  /** The most that the queue may use, by resource. */
  capability?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** What the queue is meant to use, by resource; more can be reclaimed. */
  deserved?: pulumi.Input<Record<string, pulumi.Input<number | string>>>;
  /** What is kept for the queue, by resource. */
  guarantee?: pulumi.Input<QueueGuarantee>;
  /** Whether others may take back what the queue uses beyond its share. */
  reclaimable?: pulumi.Input<boolean>;
  parent?: pulumi.Input<string>;
  priority?: pulumi.Input<number>;
  type?: pulumi.Input<string>;
  /** In which order the queue's jobs are looked at. Default `traverse`. */
  dequeueStrategy?: pulumi.Input<"traverse" | "fifo">;
  affinity?: pulumi.Input<Record<string, unknown>>;
  extendClusters?: pulumi.Input<pulumi.Input<Record<string, unknown>>[]>;
}

export interface QueueStatus {
  /** PodGroups can be submitted only while it is Open. */
  state?: "Open" | "Closed" | "Closing" | "Unknown";
  pending?: number;
  running?: number;
  unknown?: number;
  inqueue?: number;
  completed?: number;
  allocated?: Record<string, string>;
  reservation?: { nodes?: string[]; resource?: Record<string, number | string> };
}
