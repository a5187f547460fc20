/**
 * The words of the arguments. Each is an object and a type of one name, so that programs may write
 * `ComponentType.Worker` or `"worker"`, and so that schema generation finds an enumeration.
 */

/** What the pods of a role do. */
export const ComponentType = {
  /** Serves whole requests. */
  Worker: "worker",
  /** Reads prompts, for decoders to continue. */
  Prefiller: "prefiller",
  /** Generates tokens from what prefillers have read. */
  Decoder: "decoder",
  /** Routes requests to the pods of the other roles. */
  Router: "router",
} as const;
export type ComponentType = (typeof ComponentType)[keyof typeof ComponentType];

/** How a request finds its pod. */
export const RoutingStrategy = {
  /** The pod that has served the longest common prefix. */
  PrefixCache: "prefix-cache",
  /** The pod with the emptiest KV cache. */
  KvCacheUtilization: "kv-cache-utilization",
  /** The pod with the shortest queue. */
  QueueSize: "queue-size",
  /** The pod that has the request's LoRA adapter loaded. */
  LoraAffinity: "lora-affinity",
  /** A prefiller and a decoder, each by longest common prefix. */
  PdDisaggregation: "pd-disaggregation",
} as const;
export type RoutingStrategy = (typeof RoutingStrategy)[keyof typeof RoutingStrategy];

/** How the pods of a multi-node replica form one engine. */
export const Executor = {
  /** A Ray cluster; the leader starts it and the workers join. */
  Ray: "ray",
  /** vLLM's own multi-node mode, without Ray. */
  Mp: "mp",
  /** SGLang's own multi-node mode. */
  Sglang: "sglang",
  /** What the template's commands do; the plan leaves them alone. */
  Custom: "custom",
} as const;
export type Executor = (typeof Executor)[keyof typeof Executor];

/** What the gateway does with requests while the endpoint picker is gone. */
export const FailureMode = {
  /** Refuses them. */
  FailClose: "FailClose",
  /** Sends them to any pod of the pool. */
  FailOpen: "FailOpen",
} as const;
export type FailureMode = (typeof FailureMode)[keyof typeof FailureMode];

/** Which pods start together. */
export const GangLayout = {
  /** Each replica starts whole or not at all, and every gang role's minReplicas start together. */
  SubGroup: "subGroup",
  /** Every replica of every gang role starts, or none does. */
  Task: "task",
  /** No PodGroup: pods start one by one. */
  None: "none",
} as const;
export type GangLayout = (typeof GangLayout)[keyof typeof GangLayout];

/** How many LeaderWorkerSets a role has. */
export const WorkloadMode = {
  /** One a replica for multi-node roles and for prefillers and decoders that work together, else one a role. */
  Auto: "auto",
  /** One a replica. */
  PerReplica: "perReplica",
  /** One a role, which autoscalers can scale and which updates replica by replica. */
  PerRole: "perRole",
} as const;
export type WorkloadMode = (typeof WorkloadMode)[keyof typeof WorkloadMode];

/** What a pool reference names. Both stand for the InferencePool of that name. */
export const PoolKind = {
  /** A pool that LLMServices register on. */
  LLMServerPool: "LLMServerPool",
  /** A pool that takes any model, where registered names have targets and objectives. */
  InferencePool: "InferencePool",
} as const;
export type PoolKind = (typeof PoolKind)[keyof typeof PoolKind];

/** Kinds of gateways in front of a pool. */
export const PoolGatewayType = {
  /** Any that serves InferencePools without objects of its own. */
  Generic: "generic",
  /** Istio: gets a DestinationRule for the picker. */
  Istio: "istio",
  /** GKE Inference Gateway: gets a HealthCheckPolicy and a GCPBackendPolicy. */
  Gke: "gke",
  /** Envoy Gateway with Envoy AI Gateway. */
  EnvoyGateway: "envoy-gateway",
  /** kgateway. */
  Kgateway: "kgateway",
  /** agentgateway. */
  Agentgateway: "agentgateway",
  /** NGINX Gateway Fabric. */
  Ngf: "ngf",
} as const;
export type PoolGatewayType = (typeof PoolGatewayType)[keyof typeof PoolGatewayType];

/** Versions of InferenceModelRewrite that clusters serve. */
export const RewriteVersion = {
  /** The endpoint picker's own project, llm-d. */
  LlmD: "llm-d.ai/v1alpha2",
  /** Gateway API inference extension. */
  GatewayApi: "inference.networking.x-k8s.io/v1alpha2",
  /** The proposal, whose targets are called `split`. */
  Proposal: "inference.networking.x-k8s.io/v1alpha1",
} as const;
export type RewriteVersion = (typeof RewriteVersion)[keyof typeof RewriteVersion];

/** How other clusters reach an exported pool. */
export const ExportMode = {
  /** Importing gateways ask the picker here and connect to the pods: pod networks must reach each other. */
  Endpoint: "EndpointMode",
  /** Importing gateways send requests to a gateway here. */
  Parent: "ParentMode",
} as const;
export type ExportMode = (typeof ExportMode)[keyof typeof ExportMode];

/** Service of the picker of an exported pool. */
export const ExportServiceType = {
  /** Where cluster addresses are routed between clusters. */
  ClusterIP: "ClusterIP",
  /** Where they are not. */
  LoadBalancer: "LoadBalancer",
} as const;
export type ExportServiceType = (typeof ExportServiceType)[keyof typeof ExportServiceType];

/** What kind of gateway a route to an imported pool is for. */
export const GatewayType = {
  /** Gateway API and no more. */
  Generic: "generic",
  /** agentgateway, which reaches other clusters by backends of its own kind. */
  Agentgateway: "agentgateway",
  /** Istio, which reaches other clusters by ServiceEntries. */
  Istio: "istio",
  /** NGINX Gateway Fabric, which reaches other clusters by ExternalName Services, in rules without a pool. */
  Ngf: "ngf",
  /** GKE, whose fleet imports the pools of its clusters. */
  Gke: "gke",
  /** Any gateway that sends requests wherever a picker says, with llm-d's picker among clusters. */
  LlmDGlobalEpp: "llm-d-global-epp",
} as const;
export type GatewayType = (typeof GatewayType)[keyof typeof GatewayType];

/** How the cluster of a request is chosen among those that export a pool. */
export const ImportSelection = {
  /** At random by free capacity. */
  MetricBased: "metric-based",
  /** At random among those that answer. */
  HealthBased: "health-based",
  /** Always the first that answers. */
  ActivePassive: "active-passive",
} as const;
export type ImportSelection = (typeof ImportSelection)[keyof typeof ImportSelection];

/** Which clusters come first. */
export const ImportPreference = {
  /** The cluster of the picker, while it has endpoints. */
  PreferLocal: "PreferLocal",
  /** None. */
  Any: "Any",
} as const;
export type ImportPreference = (typeof ImportPreference)[keyof typeof ImportPreference];

/** Where the code of a pod plugin is. */
export const PodPluginType = {
  /** In this project or in the program. */
  BuiltIn: "BuiltIn",
  /** Behind an HTTPS address. */
  Webhook: "Webhook",
} as const;
export type PodPluginType = (typeof PodPluginType)[keyof typeof PodPluginType];

/** Which pods of a replica a plugin sees. */
export const PodPluginTarget = {
  /** The leader, or the only pod. */
  Entry: "Entry",
  /** The others. */
  Worker: "Worker",
  /** Both. */
  All: "All",
} as const;
export type PodPluginTarget = (typeof PodPluginTarget)[keyof typeof PodPluginTarget];

/** When a pod plugin is called. */
export const PodHook = {
  /** Before a pod exists; what it changes is in the pod from the start. */
  OnPodCreate: "OnPodCreate",
  /** Each time a pod becomes ready. */
  OnPodReady: "OnPodReady",
} as const;
export type PodHook = (typeof PodHook)[keyof typeof PodHook];

/** What becomes of a pod when a Webhook does not answer. */
export const PodPluginFailurePolicy = {
  /** It is not made; its controller tries again. */
  Fail: "Fail",
  /** It is made without the plugin. */
  Ignore: "Ignore",
} as const;
export type PodPluginFailurePolicy =
  (typeof PodPluginFailurePolicy)[keyof typeof PodPluginFailurePolicy];

/** What a failed pod of a ModelServing takes with it. */
export const RecoveryPolicy = {
  /** Its instance of the role: the entry pod and all workers. */
  RoleRecreate: "RoleRecreate",
  /** Nothing. */
  None: "None",
} as const;
export type RecoveryPolicy = (typeof RecoveryPolicy)[keyof typeof RecoveryPolicy];
