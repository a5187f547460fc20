// Made from sdk/spec by scripts/argument-types.ts; change the schemas, not this file.

import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { ResourceRequirementsArgs } from "../pod-template.ts";
import type { PodTemplateArgs } from "../pod-template-of-other-languages.ts";
import type {
  AcceleratorArgs,
  AcceleratorName,
  AllowedNamespaceArgs,
  AutoscalingArgs,
  ComponentType,
  DisruptionBudgetArgs,
  EndpointPickerArgs,
  EngineSettingsArgs,
  ExportArgs,
  FailureMode,
  FairnessArgs,
  FlowControlArgs,
  GangPolicyArgs,
  LastingVolumeArgs,
  MetadataArgs,
  ModelArgs,
  ModelSource,
  MultiClusterRouteArgs,
  MultinodeArgs,
  NetworkDevicesArgs,
  NetworkPolicyArgs,
  NodePlacementArgs,
  PodPluginArgs,
  PoolGatewayArgs,
  RecoveryPolicy,
  ResilienceArgs,
  RewriteRuleArgs,
  RoleRolloutArgs,
  RolloutStrategyType,
  RouterAccessArgs,
  RouterGatewayArgs,
  RouterHttpRouteArgs,
  RoutingStrategy,
  SchedulingStrategyArgs,
  SecretKeyArgs,
  ServiceRolloutArgs,
  ServingNetworkTopologyArgs,
  SharedPickerPortArgs,
  TracingArgs,
  UnparsedBodies,
  WorkloadMode,
} from "./args.ts";

/**
 * Arguments of an InferenceService. Values that decide which objects exist are plain: names, counts, accelerators and
 * ports. Other values of a pod template may be Outputs.
 */
export interface InferenceServiceArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Parts of the service: at least one, with at most one router. */
  roles: RoleArgs[];
  /**
   * Model that the roles serve. The plan writes the roles' pod templates for this model. Default: none; each role has a
   * template.
   */
  model?: ServiceModelArgs;
  /**
   * Accelerator of all roles, required with `model`. The pods run on nodes with a label of this accelerator, and the
   * checks of docs/start-up.md use its memory. Default for roles with a pod template: the accelerator that the template
   * selects.
   */
  accelerator?: AcceleratorName;
  /**
   * Nodes that the pods of all roles run on, if the labels of the accelerator are not enough. Default: nodes with a
   * label of the accelerator.
   */
  nodes?: NodePlacementArgs;
  /**
   * Resource name under which the pods of a `model` request accelerators.
   * `deviceclass.resource.kubernetes.io/gpu.nvidia.com` requests devices of a DRA class and needs Kubernetes 1.36.
   * Default: the resource of the vendor's device plugin, such as nvidia.com/gpu.
   */
  acceleratorResource?: string;
  /** Engine that serves the model, and its settings. Default: vLLM in the version that this library was tested with. */
  engine?: EngineSettingsArgs;
  /**
   * Network devices of the roles whose pods exchange tensors or KV blocks. Needs a `model`. Default: the pod network.
   */
  network?: NetworkDevicesArgs;
  /** Number of LeaderWorkerSets per role. Default `auto`. */
  workload?: WorkloadMode;
  /**
   * Limits within which an autoscaler changes the number of replicas with the load. `replicas` is then the number at
   * the creation of the service. Needs a router, and workload perRole for multi-node roles, prefillers and decoders.
   * Default: only `replicas` changes the number.
   */
  autoscaling?: AutoscalingArgs;
  /**
   * How `pulumi up` replaces the replicas of the service. Default: it continues when pods are ready, and stops when
   * they do not start.
   */
  rollout?: ServiceRolloutArgs;
  /** Scheduler, queue, priority and gang of all roles. */
  schedulingStrategy?: SchedulingStrategyArgs;
  /**
   * Plugins that customise the roles' pods, in the order in which they run. docs/pod-plugins.md lists the built-in
   * plugins. Pass plugins of the program in the option podPlugins.
   */
  plugins?: PodPluginArgs[];
  /**
   * Resources that count accelerators, in addition to the known ones (docs/gpu-nodes.md) or in different units.
   * Default: the known resources.
   */
  accelerators?: AcceleratorArgs[];
  /** Peers that may open connections to engines and picker. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Models that the service's pool serves. Requests for other models are rejected. Needs a router. */
  models?: ModelArgs[];
  /** How the service handles failing prefillers and decoders. Needs a router. */
  resilience?: ResilienceArgs;
  /** Rules by which the service's pool rewrites model names. Needs a router. */
  rewrites?: RewriteRuleArgs[];
  /**
   * Whether creating and updating wait until the service is ready: every role has `minReplicas` ready replicas with the
   * current template, the endpoint picker's Deployment is available, and a gateway has accepted the route and resolved
   * its pool. Default: false. A service that has started only in part, for example for lack of accelerators, then
   * counts as a success.
   *
   * Pulumi waits for new objects before it deletes old ones. If a new object needs something that an old one occupies,
   * such as the accelerators of a renamed role or the names after a change of `workload`, the update waits until it
   * times out. Disable `waitFor` for such an update.
   *
   * `"Available"` waits only for the condition Available of the status object, which the status controller sets. Until
   * then, the condition's message lists the missing pods of each role.
   *
   * A role with one LeaderWorkerSet per replica is ready when its first `minReplicas` are ready. Waiting fails after an
   * hour per LeaderWorkerSet, or after the `customTimeouts` of the service.
   */
  waitFor?: pulumi.Inputs[string];
  /**
   * Whether to create an object of kind InferenceService in the cluster (`fusioninfer.io/v1alpha1`), in which the
   * status controller reports the state of every role. This project does not deploy anything from the object. Leave it
   * out if FusionInfer's operator runs in the cluster, because the operator would deploy the service a second time. If
   * only its CRD is installed, set stack configuration `pulumi-inference:statusSchema` to `fusioninfer`: status that
   * does not fit the CRD is then written to an annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
}

/**
 * Part of a service: pods that run an inference engine, or the router in front of them. componentType selects which.
 */
export interface RoleArgs {
  /**
   * Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a
   * router routes requests to the other roles. Prefillers and decoders require each other.
   */
  componentType: ComponentType;
  /**
   * Name of the role: a DNS label, unique in the service. It is part of object names; changing it replaces the role's
   * objects.
   */
  name: string;
  /** Instances of the engine, or pods of a router's endpoint picker. 0 stops the role. Default 1. */
  replicas?: number;
  /**
   * Minimum number of replicas. They start together with the minimum of the other gang roles, and waitFor waits for
   * them. Default 1.
   */
  minReplicas?: number;
  /**
   * How an update of the pod template replaces the replicas. Default: one after the other, without additional
   * accelerators.
   */
  rollout?: RoleRolloutArgs;
  /** Makes each replica a group of pods that form one engine. */
  multinode?: MultinodeArgs;
  /**
   * Port on which the role's pods serve the model. Set it if the preview reports that the port is unknown, for example
   * because a script starts the engine. Default: the engine's port named http, else the port in its command, else the
   * engine's default port.
   */
  port?: number;
  /**
   * Maximum time in seconds that running responses may take after a pod is deleted, for SGLang and for vLLM 0.18 or
   * later. The plan enables draining in the engine and adds a grace period and a preStop hook unless the template sets
   * them. A pod without running responses terminates immediately. Default 600; 0 adds nothing.
   */
  drainSeconds?: number;
  /** Plugins for this role's pods. They run after the service's plugins. */
  plugins?: PodPluginArgs[];
  /**
   * Whether the decode sidecar, which sends prompts to prefillers, is added to the pods of a decoder that works with
   * prefillers behind a router. Default true, unless the template contains a sidecar.
   */
  sidecar?: boolean;
  /**
   * Image of the decode sidecar. Changing it restarts the decoders' pods. Default: stack configuration
   * pulumi-inference:sidecarImage, else this project's image. Its version is independent of the library's, and most
   * releases of the library keep it.
   */
  sidecarImage?: pulumi.Input<string>;
  /**
   * Receiver of the decode sidecar's trace spans, for the prefill and the decode of a request, and the share of
   * requests that are sampled. Changing it restarts the decoders' pods. Default: no tracing, regardless of the router's
   * setting.
   */
  sidecarTracing?: TracingArgs;
  /** Accelerator of the role's pods. Default: the service's accelerator. */
  accelerator?: AcceleratorName;
  /** Nodes that the role's pods run on. It replaces the service's nodes. Default: the service's nodes. */
  nodes?: NodePlacementArgs;
  /** Resource name under which the role's pods request accelerators. Default: the service's acceleratorResource. */
  acceleratorResource?: string;
  /** Engine of the role, and its settings. It replaces the service's engine. Default: the service's engine. */
  engine?: EngineSettingsArgs;
  /** Network devices of the role's pods. They replace the service's devices. Default: the service's network. */
  network?: NetworkDevicesArgs;
  /**
   * Pod template of the engine. If the service names a `model`, the plan writes the template, and fields set here
   * override it; otherwise the template is required.
   */
  template?: PodTemplateArgs;
  /**
   * How the picker selects the pod of a request. Default: pd-disaggregation with prefillers and decoders, else
   * prefix-cache.
   */
  strategy?: RoutingStrategy;
  /** Configuration of the endpoint picker as YAML text, instead of a strategy. */
  endpointPickerConfig?: string;
  /**
   * Whether the engines publish the prefixes in their caches to the picker, which otherwise estimates them. All engines
   * must be vLLM. Changing it changes the engines' pods. Default false.
   */
  kvEvents?: boolean;
  /**
   * SharedEndpointPicker that also serves this service, instead of a dedicated picker. A strategy or a configuration
   * may be set with it. Default: a dedicated picker.
   */
  shared?: SharedPickerPortArgs;
  /**
   * HTTPRoute to create. Its rules are kept, with the service's pool as the backend. Without rules it serves the paths
   * of clients' APIs. `rules: [{}]` serves every path, including the engine's metrics and administration endpoints.
   * Default: no route.
   */
  httproute?: RouterHttpRouteArgs;
  /**
   * Gateway in front of the service: its type, and the spec of a Gateway to create, which the route attaches to.
   * Default: no Gateway is created.
   */
  gateway?: RouterGatewayArgs;
  /**
   * Clients that may send requests, by a policy of the gateway. The gateway names the tenant of each request in
   * `tenantHeader`, and removes this header from clients' requests. Default: everyone who can reach the gateway.
   */
  access?: RouterAccessArgs;
  /**
   * Resources of the program's container. They replace the default as a whole. Default: requests of 250m CPU and 256Mi
   * of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
  /**
   * Image of the program. Default: stack configuration pulumi-inference:image, else this project's image of this
   * version.
   */
  image?: pulumi.Input<string>;
  /** Secrets in the program's namespace for pulling the image, such as `[{ name: "registry" }]`. Default: none. */
  imagePullSecrets?: pulumi.Input<types.input.core.v1.LocalObjectReference>[];
  /** Labels of the nodes that the pods may run on. Default: any node. */
  nodeSelector?: Record<string, pulumi.Input<string>>;
  /** Tolerations for taints of nodes (core/v1 Toleration). Default: none. */
  tolerations?: pulumi.Input<types.input.core.v1.Toleration>[];
  /** Affinity rules of the pods (core/v1 Affinity). Default: none. */
  affinity?: pulumi.Input<types.input.core.v1.Affinity>;
  /** How the pods are spread (core/v1 TopologySpreadConstraint). Default: over nodes, if possible. */
  topologySpreadConstraints?: pulumi.Input<types.input.core.v1.TopologySpreadConstraint>[];
  /**
   * PriorityClass of the pods. Default: for a service's picker, the class in the service's schedulingStrategy; else the
   * cluster's default class.
   */
  priorityClassName?: pulumi.Input<string>;
  /** Number of pods that may be evicted concurrently. Default: one, if there are two or more pods. */
  podDisruptionBudget?: DisruptionBudgetArgs;
  /**
   * Whether the picker processes each response to its end, for metrics of responses. Responses then break if the picker
   * fails. Default false, or true for a router with `access`, whose tenants are billed by these metrics.
   */
  followResponses?: boolean;
  /** Window in seconds over which the latencies of LLMServices are compared with their objectives. Default 300. */
  objectiveWindowSeconds?: number;
  /** Receiver of trace spans, and the share of requests that are sampled. Default: no tracing. */
  tracing?: TracingArgs;
  /**
   * Header with the tenant whose share a queued request uses, such as x-llm-d-inference-fairness-id. The gateway must
   * set the header, because clients can forge it. Two headers with a comma, such as the issuer of a token and its
   * claim, name a tenant together. Default: none; requests without an LLMService share one queue. With a router's
   * `access`: x-llm-d-inference-fairness-id.
   */
  tenantHeader?: string;
  /**
   * How the picker handles requests whose body it cannot read, such as plain text, URL-encoded forms or compressed
   * forms. Rewrites, registrations and the removal of engines' fields do not apply to them. Default reject.
   */
  unparsedBodies?: UnparsedBodies;
  /**
   * How requests wait in the picker while no engine has free capacity. Default: enabled, with limits for interactive
   * chat; `enabled: false` makes requests wait at the engines.
   */
  flowControl?: FlowControlArgs;
  /**
   * Port of the model servers. Default: the first of targetPorts, else the engine's port named http, else its only
   * port, else 8000.
   */
  targetPort?: number;
  /**
   * Ports of a pod's model servers, 1 to 8, such as one for each data-parallel rank. The picker selects one of them for
   * each request. Probes use the first. Default: targetPort only.
   */
  targetPorts?: number[];
  /** How the gateway handles requests while the endpoint picker does not respond. Default `FailClose`. */
  failureMode?: FailureMode;
  /**
   * Whether the picker's /metrics requires a bearer token with permission to read it. This needs a ClusterRole. Default
   * true.
   */
  metricsAuth?: boolean;
  /** Exports the service's pool to the other clusters of its set. Default: no export. */
  export?: ExportArgs;
}

/** Model, and the source of its files. */
export interface ServiceModelArgs {
  /**
   * Name of the model on Hugging Face, such as `Qwen/Qwen3-32B`. Memory and parallel sizes are calculated from its
   * known properties. Clients request the model by this name.
   */
  name: string;
  /** Source of the files. Default `huggingFace`. */
  source?: ModelSource;
  /**
   * Location of the files: the image for source oci, the claim for pvc, or the URL for s3 and gcs, such as
   * `s3://bucket/folder`. Not allowed for huggingFace.
   */
  location?: pulumi.Input<string>;
  /** Directory of the model in the image or on the claim. Default: the root directory. */
  path?: string;
  /** Branch, tag or commit on Hugging Face. Default: main. */
  revision?: string;
  /** Hugging Face token, required for gated models. Default: no token. */
  token?: SecretKeyArgs;
  /** Volume for files downloaded from Hugging Face. Default: the files are lost when the pod is deleted. */
  cache?: LastingVolumeArgs;
  /**
   * Rate at which the source delivers the weights, in MiB/s. The startup probe is calculated from it. Default: 100 for
   * Hugging Face, 200 for images and claims, 500 for buckets.
   */
  mebibytesPerSecond?: number;
  /**
   * Contents of the model's config.json, for a model that is not in docs/models-and-accelerators.md, or that differs
   * from its entry.
   */
  config?: pulumi.Inputs;
}

/** Arguments of an LLMServerPool: a pool of model servers that LLMServices share. */
export interface LLMServerPoolArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Labels of the model servers' pods. No two pools may select the same pod. */
  modelServerSelector: Record<string, string>;
  /** Gateway in front of the pool. Default: a gateway that needs no further objects. */
  gateway?: PoolGatewayArgs;
  /** Peers that may open connections to the picker. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Exports the pool to the other clusters of its set. Default: no export. */
  export?: ExportArgs;
  /** Ports of the model servers, 1 to 8. Default 8000. */
  targetPorts?: number[];
  /** Protocol of the model servers: `http`, which is HTTP/1.1, or `kubernetes.io/h2c` for gRPC. Default: `http`. */
  appProtocol?: string;
  /** Picker of the pool: the settings of a new one, or the Service of an existing one. */
  endpointPicker?: EndpointPickerArgs;
  /** How the gateway handles requests while the endpoint picker does not respond. Default `FailClose`. */
  failureMode?: FailureMode;
  /**
   * Whether the pool serves requests for models that no LLMService registers, at the priority of the InferenceObjective
   * that they name. If false, they get status 404. If true, use reservedModels, or `models` of each entry in
   * allowedNamespaces, to limit the names that other namespaces can register. Default false.
   */
  allowUnregisteredModels?: boolean;
  /**
   * Other namespaces whose LLMServices may use the pool. An entry is a namespace, or {namespace, models: [games-*]}
   * with the model names that it may register. Default none.
   */
  allowedNamespaces?: AllowedNamespaceArgs[];
  /**
   * How LLMServices share the pool while its capacity is exhausted. Default: by their shares, with objectives first.
   */
  fairness?: FairnessArgs;
  /**
   * How requests wait in the picker while no model server has free capacity. Default: enabled, with limits for
   * interactive chat; `enabled: false` makes requests wait at the model servers.
   */
  flowControl?: FlowControlArgs;
  /**
   * Model names that only LLMServices in the pool's namespace may register, such as the base model's name, or prefixes
   * such as `meta-llama/*`. Default: no name is reserved. The first LLMService to register a name gets it, and
   * LLMServices in the pool's namespace take precedence.
   */
  reservedModels?: string[];
}

/** Arguments of a ModelServing, with the spec of Kthena's kind of that name. */
export interface ModelServingArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Scheduler of all pods. With default-scheduler, pods start independently, without gangs. Default `volcano`. */
  schedulerName?: string;
  /** Serving groups. Default 1. */
  replicas?: number;
  /** Plugins that customise the pods, in the order in which they run. */
  plugins?: PodPluginArgs[];
  /** Pods that are recreated together with a failed pod. Default `RoleRecreate`. */
  recoveryPolicy?: RecoveryPolicy;
  /** How an update replaces pods. Default: every role updates its instances one by one. */
  rolloutStrategy?: RolloutStrategyArgs;
  /**
   * Peers that may open connections to the pods. Kthena has no such field. Default: all pods in the cluster, on the
   * serving port.
   */
  networkPolicy?: NetworkPolicyArgs;
  /** Template of a serving group. */
  template: ServingGroupTemplateArgs;
}

/** How an update replaces pods. */
export interface RolloutStrategyArgs {
  /** Unit that an update replaces one by one. Default `ServingGroupRollingUpdate`. */
  type?: RolloutStrategyType;
  /** Limits of ServingGroupRollingUpdate, in serving groups. Default: every group is updated. */
  rollingUpdateConfiguration?: ServingGroupRollingUpdateArgs;
}

/** Limits of a rolling update, in serving groups. */
export interface ServingGroupRollingUpdateArgs {
  /** Number or percentage of groups or instances that may be unavailable during an update. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** Number or percentage of groups or instances, counted from the first, that keep their old pods. Default 0. */
  partition?: pulumi.Inputs[string];
}

/** Template of a serving group. */
export interface ServingGroupTemplateArgs {
  /** Roles of a serving group: one to four. */
  roles: ServingRoleArgs[];
  /** Pods of a group that start together. Default: all pods. */
  gangPolicy?: GangPolicyArgs;
  /**
   * Limits on the network distance between pods, set in the PodGroup of each serving group. Needs Volcano and its
   * HyperNodes. Default: none.
   */
  networkTopology?: ServingNetworkTopologyArgs;
  /**
   * Seconds that Kthena waits before it recreates pods after an error. A LeaderWorkerSet ignores it, and recreates an
   * instance as soon as a container restarts. The preview warns of this. Default 0.
   */
  restartGracePeriodSeconds?: number;
}

/** Part of a serving group: instances of an entry pod and its workers. */
export interface ServingRoleArgs {
  /** Name of the role: a DNS label of at most 12 characters, unique in the template. */
  name: string;
  /** Instances of the role in each serving group. Default 1. */
  replicas?: number;
  /** Template of the entry pod, which leads an instance. Without workers, the entry pod is the whole instance. */
  entryTemplate: PodTemplateArgs;
  /** Pods of an instance besides the entry pod. Default 0. */
  workerReplicas?: number;
  /** Template of the worker pods. Required if workerReplicas is above 0. */
  workerTemplate?: PodTemplateArgs;
  /** Number or percentage of groups or instances that may be unavailable during an update. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** Number or percentage of groups or instances, counted from the first, that keep their old pods. Default 0. */
  partition?: pulumi.Inputs[string];
}

/**
 * Arguments of a MultiClusterInferenceService: the arguments of an InferenceService, and the clusters that it runs in.
 */
export interface MultiClusterInferenceServiceArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Parts of the service: at least one, with at most one router. */
  roles: RoleArgs[];
  /**
   * Model that the roles serve. The plan writes the roles' pod templates for this model. Default: none; each role has a
   * template.
   */
  model?: ServiceModelArgs;
  /**
   * Accelerator of all roles, required with `model`. The pods run on nodes with a label of this accelerator, and the
   * checks of docs/start-up.md use its memory. Default for roles with a pod template: the accelerator that the template
   * selects.
   */
  accelerator?: AcceleratorName;
  /**
   * Nodes that the pods of all roles run on, if the labels of the accelerator are not enough. Default: nodes with a
   * label of the accelerator.
   */
  nodes?: NodePlacementArgs;
  /**
   * Resource name under which the pods of a `model` request accelerators.
   * `deviceclass.resource.kubernetes.io/gpu.nvidia.com` requests devices of a DRA class and needs Kubernetes 1.36.
   * Default: the resource of the vendor's device plugin, such as nvidia.com/gpu.
   */
  acceleratorResource?: string;
  /** Engine that serves the model, and its settings. Default: vLLM in the version that this library was tested with. */
  engine?: EngineSettingsArgs;
  /**
   * Network devices of the roles whose pods exchange tensors or KV blocks. Needs a `model`. Default: the pod network.
   */
  network?: NetworkDevicesArgs;
  /** Number of LeaderWorkerSets per role. Default `auto`. */
  workload?: WorkloadMode;
  /**
   * Limits within which an autoscaler changes the number of replicas with the load. `replicas` is then the number at
   * the creation of the service. Needs a router, and workload perRole for multi-node roles, prefillers and decoders.
   * Default: only `replicas` changes the number.
   */
  autoscaling?: AutoscalingArgs;
  /**
   * How `pulumi up` replaces the replicas of the service. Default: it continues when pods are ready, and stops when
   * they do not start.
   */
  rollout?: ServiceRolloutArgs;
  /** Scheduler, queue, priority and gang of all roles. */
  schedulingStrategy?: SchedulingStrategyArgs;
  /**
   * Plugins that customise the roles' pods, in the order in which they run. docs/pod-plugins.md lists the built-in
   * plugins. Pass plugins of the program in the option podPlugins.
   */
  plugins?: PodPluginArgs[];
  /**
   * Resources that count accelerators, in addition to the known ones (docs/gpu-nodes.md) or in different units.
   * Default: the known resources.
   */
  accelerators?: AcceleratorArgs[];
  /** Peers that may open connections to engines and picker. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Models that the service's pool serves. Requests for other models are rejected. Needs a router. */
  models?: ModelArgs[];
  /** How the service handles failing prefillers and decoders. Needs a router. */
  resilience?: ResilienceArgs;
  /** Rules by which the service's pool rewrites model names. Needs a router. */
  rewrites?: RewriteRuleArgs[];
  /**
   * Whether creating and updating wait until the service is ready: every role has `minReplicas` ready replicas with the
   * current template, the endpoint picker's Deployment is available, and a gateway has accepted the route and resolved
   * its pool. Default: false. A service that has started only in part, for example for lack of accelerators, then
   * counts as a success.
   *
   * Pulumi waits for new objects before it deletes old ones. If a new object needs something that an old one occupies,
   * such as the accelerators of a renamed role or the names after a change of `workload`, the update waits until it
   * times out. Disable `waitFor` for such an update.
   *
   * `"Available"` waits only for the condition Available of the status object, which the status controller sets. Until
   * then, the condition's message lists the missing pods of each role.
   *
   * A role with one LeaderWorkerSet per replica is ready when its first `minReplicas` are ready. Waiting fails after an
   * hour per LeaderWorkerSet, or after the `customTimeouts` of the service.
   */
  waitFor?: pulumi.Inputs[string];
  /**
   * Whether to create an object of kind InferenceService in the cluster (`fusioninfer.io/v1alpha1`), in which the
   * status controller reports the state of every role. This project does not deploy anything from the object. Leave it
   * out if FusionInfer's operator runs in the cluster, because the operator would deploy the service a second time. If
   * only its CRD is installed, set stack configuration `pulumi-inference:statusSchema` to `fusioninfer`: status that
   * does not fit the CRD is then written to an annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
  /** Clusters that the service runs in: at least two. Each runs the whole service. The service needs a router role. */
  clusters: ServiceClusterArgs[];
  /** How the clusters reach each other's pools. Default: `EndpointMode`. */
  export?: ExportArgs;
  /** Route that is created in each cluster, over its own pool and the pools of the other clusters. Default: none. */
  route?: MultiClusterRouteArgs;
}

/** Cluster that the service runs in. */
export interface ServiceClusterArgs {
  /** Name of the cluster: a DNS label. It becomes part of resource names in the program. */
  name: string;
  /** Kubernetes provider of the cluster. */
  provider: pulumi.Inputs[string];
  /** Replicas in this cluster, by role. Default: the replicas set in the roles. */
  replicas?: Record<string, number>;
}
