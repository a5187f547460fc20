// Made from sdk/spec by scripts/argument-types.ts; change the schemas, not this file.

import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { ResourceRequirementsArgs } from "../pod-template.ts";
import type { PodTemplateArgs } from "../pod-template-of-other-languages.ts";
import type {
  AcceleratorArgs,
  AcceleratorName,
  AllowedNamespaceArgs,
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
  MultinodeArgs,
  NetworkDevicesArgs,
  NetworkPolicyArgs,
  PodPluginArgs,
  PoolGatewayArgs,
  RecoveryPolicy,
  ResilienceArgs,
  RewriteRuleArgs,
  RolloutStrategyType,
  RouterGatewayArgs,
  RouterHttpRouteArgs,
  RoutingStrategy,
  SchedulingStrategyArgs,
  SecretKeyArgs,
  ServingNetworkTopologyArgs,
  SharedPickerPortArgs,
  TracingArgs,
  UnparsedBodies,
  WorkloadMode,
} from "./args.ts";

/**
 * The arguments of an InferenceService. Names, counts, accelerators and ports determine which objects are created and
 * must be plain values. Other values of a pod template may be Outputs.
 */
export interface InferenceServiceArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /** The parts of the service: at least one, at most one router. */
  roles: RoleArgs[];
  /** The model that the roles serve. The plan writes their pod templates from it. Default: each role has a template. */
  model?: ServiceModelArgs;
  /**
   * The accelerator of all roles, which a `model` needs. For pod templates it decides the checks of docs/start-up.md.
   * Default for those: the one that the template selects.
   */
  accelerator?: AcceleratorName;
  /**
   * Resource by which the pods of a `model` request accelerators. `deviceclass.resource.kubernetes.io/gpu.nvidia.com`
   * requests devices of a DRA class from Kubernetes 1.36 on. Default: that of the maker's device plugin, as
   * nvidia.com/gpu.
   */
  acceleratorResource?: string;
  /**
   * The engine that serves the model, and its settings. Default: vLLM of the version that this library was tested with.
   */
  engine?: EngineSettingsArgs;
  /**
   * Network devices of the roles whose pods exchange tensors or KV blocks. It needs a `model`. Default: the pods' own
   * network.
   */
  network?: NetworkDevicesArgs;
  /** How many LeaderWorkerSets a role has. Default `auto`. */
  workload?: WorkloadMode;
  /** Scheduler, queue, priority and gang of all roles. */
  schedulingStrategy?: SchedulingStrategyArgs;
  /**
   * Plugins that customise the pods of the roles, in the order in which they run. docs/pod-plugins.md lists the
   * built-in ones; those of the program are handed in as option podPlugins.
   */
  plugins?: PodPluginArgs[];
  /**
   * Resources that count accelerators besides the known ones (docs/gpu-nodes.md), or in other units. Default: the known
   * ones.
   */
  accelerators?: AcceleratorArgs[];
  /** Who may open connections to engines and picker. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Models that the service's pool serves; requests for any other are then refused. Needs a router. */
  models?: ModelArgs[];
  /** What is done about prefillers and decoders that fail. Needs a router. */
  resilience?: ResilienceArgs;
  /** Rules by which the service's pool rewrites models. Needs a router. */
  rewrites?: RewriteRuleArgs[];
  /**
   * Whether creating and updating wait until the service works: every role has its `minReplicas` ready on its current
   * template, the endpoint picker's Deployment is available, and a gateway has accepted the route and found its pool.
   * Default false: a service that has started in part, for want of accelerators, is a success.
   *
   * New objects are awaited before old ones go. Where the new need what the old hold, such as the accelerators of a
   * renamed role or the names of a changed `workload`, waiting never ends: make such an edit with `waitFor` off.
   *
   * `"Available"` waits for one thing, the condition Available of the status object, which the status controller sets;
   * while it waits, the condition's message says per role what is missing.
   *
   * A role with one LeaderWorkerSet per replica is waited for until its first `minReplicas` are ready. Waiting ends
   * with an error after an hour per LeaderWorkerSet, or after the `customTimeouts` of the service.
   */
  waitFor?: pulumi.Inputs[string];
  /**
   * Whether the service has an object of its own kind in the cluster (`fusioninfer.io/v1alpha1`), on which the status
   * controller writes how every role is doing. Nothing is built from it by this project. Where FusionInfer's operator
   * runs, leave it out: that operator would build the service a second time. Where only its CRD is installed, set stack
   * configuration `pulumi-inference:statusSchema` to `fusioninfer`: what that schema does not have then goes into an
   * annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
}

/** One part of a service: pods that run an inference engine, or the router before them; componentType tells which. */
export interface RoleArgs {
  /**
   * Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a
   * router routes requests to the other roles. Prefillers and decoders require each other.
   */
  componentType: ComponentType;
  /**
   * The role's name: a DNS label, unique in the service. It is part of object names; changing it replaces the role's
   * objects.
   */
  name: string;
  /** Instances of the engine, or pods of a router's endpoint picker. 0 stops the role. Default 1. */
  replicas?: number;
  /** Replicas that start together with the other gang roles' minimum, and that waitFor waits for. Default 1. */
  minReplicas?: number;
  /** Makes every replica a group of pods that are one engine. */
  multinode?: MultinodeArgs;
  /**
   * Port on which the role's pods serve the model. Default: the engine's port named http, else the port that its
   * command sets, else the engine's default. Set it if the preview reports that the port is not known, for example
   * because a script file starts the engine.
   */
  port?: number;
  /**
   * Longest time in seconds that running answers may take after a pod is deleted, for vLLM from 0.18 on and SGLang: it
   * plans their own drain, the grace period and a preStop hook, as far as the template sets none. A pod without running
   * answers ends at once. Default 600; 0 plans nothing.
   */
  drainSeconds?: number;
  /** Plugins for this role's pods, which run after those of the service. */
  plugins?: PodPluginArgs[];
  /**
   * Whether the pods of a decoder that works with prefillers behind a router get the decode sidecar, which has prompts
   * computed by prefillers. Default true, unless the template has a sidecar of its own.
   */
  sidecar?: boolean;
  /**
   * The decode sidecar's image. Changing it restarts the decoders' pods. Default: stack configuration
   * pulumi-inference:sidecarImage, else this project's image of the sidecar's own version, which new versions of the
   * library keep.
   */
  sidecarImage?: pulumi.Input<string>;
  /**
   * The receiver of the decode sidecar's spans, of both legs of a request, and the share of the requests that are
   * recorded. Changing it restarts the decoders' pods. Default: no spans are made, whatever the router does.
   */
  sidecarTracing?: TracingArgs;
  /** Accelerator of the role's pods. Default: that of the service. */
  accelerator?: AcceleratorName;
  /** Resource by which the role's pods request accelerators. Default: that of the service. */
  acceleratorResource?: string;
  /** Engine of the role and its settings, instead of those of the service. Default: those of the service. */
  engine?: EngineSettingsArgs;
  /** Network devices of the role's pods, instead of those of the service. Default: those of the service. */
  network?: NetworkDevicesArgs;
  /**
   * Pod template of the engine. Required unless the service names a `model`, from which the plan then writes it; fields
   * that are set here win.
   */
  template?: PodTemplateArgs;
  /** How a request finds its pod. Default pd-disaggregation with prefillers and decoders, else prefix-cache. */
  strategy?: RoutingStrategy;
  /** The endpoint picker's configuration as YAML text, in place of a strategy. */
  endpointPickerConfig?: string;
  /**
   * Whether the engines, which must be vLLM, tell the picker which prefixes they have cached, in place of an estimate.
   * It changes their pods. Default false.
   */
  kvEvents?: boolean;
  /**
   * A SharedEndpointPicker that picks for this service too, in place of a picker of its own; beside it there may be a
   * strategy or a configuration. Default: the service has a picker of its own.
   */
  shared?: SharedPickerPortArgs;
  /**
   * The HTTPRoute to make. Its rules are kept; their backend is the service's pool. Without rules it serves the paths
   * of clients' APIs; `rules: [{}]` serves every path, the engine's metrics and administration among them. Default: no
   * route.
   */
  httproute?: RouterHttpRouteArgs;
  /**
   * The gateway in front: its type, and the spec of a Gateway to create, which the route attaches to. Default: no
   * Gateway is made.
   */
  gateway?: RouterGatewayArgs;
  /**
   * Resources of the program's container; what is given takes the place of the default as a whole. Default: requests of
   * 250m CPU and 256Mi of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
  /**
   * The program's image. Default: stack configuration pulumi-inference:image, else this project's image of this
   * version.
   */
  image?: pulumi.Input<string>;
  /** Secrets in the program's namespace by which the image is pulled, as `[{ name: "registry" }]`. Default: none. */
  imagePullSecrets?: pulumi.Input<types.input.core.v1.LocalObjectReference>[];
  /** Labels of the nodes that the pods may run on. Default: any node. */
  nodeSelector?: Record<string, pulumi.Input<string>>;
  /** Taints of nodes that the pods may run on (core/v1 Toleration). Default: none. */
  tolerations?: pulumi.Input<types.input.core.v1.Toleration>[];
  /** Rules for the nodes that the pods may run on (core/v1 Affinity). Default: none. */
  affinity?: pulumi.Input<types.input.core.v1.Affinity>;
  /** How the pods are spread (core/v1 TopologySpreadConstraint). Default: over nodes, where that is possible. */
  topologySpreadConstraints?: pulumi.Input<types.input.core.v1.TopologySpreadConstraint>[];
  /** PriorityClass of the pods. Default: that of a service's schedulingStrategy for its picker, else the cluster's. */
  priorityClassName?: pulumi.Input<string>;
  /** How many of the pods may be evicted at once. Default: one, where there are several pods. */
  podDisruptionBudget?: DisruptionBudgetArgs;
  /**
   * Whether the picker follows every answer to its end, for metrics of answers. Answers then break with the picker.
   * Default false.
   */
  followResponses?: boolean;
  /** Seconds over which the latencies of LLMServices are compared with their objectives. Default 300. */
  objectiveWindowSeconds?: number;
  /** The receiver of spans, and the share of the requests that are recorded. Default: no spans are made. */
  tracing?: TracingArgs;
  /**
   * Header that names the tenant whose share a request takes while requests wait, such as
   * x-llm-d-inference-fairness-id. The gateway has to set it, since clients can. Default: none, so that requests
   * without an LLMService share one queue.
   */
  tenantHeader?: string;
  /**
   * How the picker treats requests whose body it cannot read, such as text or a form that is not plain. It cannot apply
   * rewrites, registrations and the removal of engines' fields to them. Default reject.
   */
  unparsedBodies?: UnparsedBodies;
  /**
   * How requests wait in the picker while no engine has room. Default: with limits that suit interactive chat;
   * `enabled: false` lets them wait at the engines.
   */
  flowControl?: FlowControlArgs;
  /**
   * Port of the model servers. Default: the first of targetPorts, else the engine's port named http, else its only
   * port, else 8000.
   */
  targetPort?: number;
  /**
   * Ports of the model servers of a pod, 1 to 8, such as one for each data-parallel rank: the picker chooses among
   * them. The first is the one that probes ask. Default: targetPort alone.
   */
  targetPorts?: number[];
  /** What the gateway does while the endpoint picker does not answer. Default `FailClose`. */
  failureMode?: FailureMode;
  /** Whether the picker's /metrics asks for a token that may read it, which needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Exports the service's pool to the other clusters of its set. Default: it is not exported. */
  export?: ExportArgs;
}

/** A model: what it is, and where its files come from. */
export interface ServiceModelArgs {
  /**
   * Name of the model on Hugging Face, as `Qwen/Qwen3-32B`. Its facts decide memory and parallel sizes; requests name
   * it.
   */
  name: string;
  /** Source of the files. Default `huggingFace`. */
  source?: ModelSource;
  /**
   * The image of source oci, the claim of pvc, or the URL of s3 and gcs, as `s3://bucket/folder`. Not for huggingFace.
   */
  location?: pulumi.Input<string>;
  /** Directory of the model in the image or on the claim. Default: its root. */
  path?: string;
  /** Branch, tag or commit on Hugging Face. Default: main. */
  revision?: string;
  /** Hugging Face token, which gated models need. Default: no token. */
  token?: SecretKeyArgs;
  /** Volume that keeps downloads from Hugging Face. Default: they are lost with the pod. */
  cache?: LastingVolumeArgs;
  /**
   * Rate at which the source delivers the weights, in MiB/s. It sets the startup probe. Default: as measured for the
   * source.
   */
  mebibytesPerSecond?: number;
  /**
   * Contents of the model's config.json, for a model that is not in docs/models-and-accelerators.md, or whose numbers
   * differ.
   */
  config?: pulumi.Inputs;
}

/** The arguments of an LLMServerPool. */
export interface LLMServerPoolArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /** Labels of the model servers' pods; no other pool may select one of them. */
  modelServerSelector: Record<string, string>;
  /** The gateway in front of the pool. Default: one that needs no objects of its own. */
  gateway?: PoolGatewayArgs;
  /** Who may open connections to the picker. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Exports the pool to the other clusters of its set. Default: it is not exported. */
  export?: ExportArgs;
  /** Ports of the model servers, 1 to 8. Default 8000. */
  targetPorts?: number[];
  /** The picker that is deployed for the pool, or one that is there already. */
  endpointPicker?: EndpointPickerArgs;
  /** What the gateway does while the endpoint picker does not answer. Default `FailClose`. */
  failureMode?: FailureMode;
  /**
   * Whether requests for models that no LLMService registers are served, at the priority of the InferenceObjective that
   * they name; else they are answered with 404. A pool that serves them says by reservedModels or by models of each of
   * allowedNamespaces which names other namespaces may not take. Default false.
   */
  allowUnregisteredModels?: boolean;
  /**
   * Namespaces, besides the pool's own, whose LLMServices may use the pool: each a name, or {namespace, models:
   * [games-*]} with the model names that they may register there. Default none.
   */
  allowedNamespaces?: AllowedNamespaceArgs[];
  /** How LLMServices share the pool while it cannot serve all at once. Default: by their shares, objectives first. */
  fairness?: FairnessArgs;
  /**
   * How requests wait in the picker while no model server has room. Default: with limits that suit interactive chat;
   * `enabled: false` lets them wait at the model servers.
   */
  flowControl?: FlowControlArgs;
  /**
   * Model names, such as the base model's, that only LLMServices of the pool's own namespace may register: names, or
   * how they begin (`meta-llama/*`). Default: whoever registers a name has it, the pool's own namespace first.
   */
  reservedModels?: string[];
}

/** The arguments of a ModelServing: the spec of Kthena's kind of that name. */
export interface ModelServingArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /** Scheduler of all pods. With default-scheduler nothing starts together. Default `volcano`. */
  schedulerName?: string;
  /** Serving groups. Default 1. */
  replicas?: number;
  /** Plugins that customise the pods, in the order in which they run. */
  plugins?: PodPluginArgs[];
  /** What a failed pod takes with it. Default `RoleRecreate`. */
  recoveryPolicy?: RecoveryPolicy;
  /** How an update replaces pods. Default: every role updates one instance after the other. */
  rolloutStrategy?: RolloutStrategyArgs;
  /**
   * Who may open connections to the pods; Kthena does not have it. Default: pods of the cluster, on the port that
   * serves.
   */
  networkPolicy?: NetworkPolicyArgs;
  /** What one serving group is made of. */
  template: ServingGroupTemplateArgs;
}

/** How an update replaces pods. */
export interface RolloutStrategyArgs {
  /** What an update replaces one by one. Default `ServingGroupRollingUpdate`. */
  type?: RolloutStrategyType;
  /** Limits of ServingGroupRollingUpdate, in serving groups. Default: every group is updated. */
  rollingUpdateConfiguration?: ServingGroupRollingUpdateArgs;
}

/** How many serving groups are updated. */
export interface ServingGroupRollingUpdateArgs {
  /** Number or percentage that may be unavailable during an update. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** Number or percentage, from the first on, that keeps its old pods. Default 0. */
  partition?: pulumi.Inputs[string];
}

/** What one serving group is made of. */
export interface ServingGroupTemplateArgs {
  /** The parts of a serving group: one to four. */
  roles: ServingRoleArgs[];
  /** What of a group starts together. Default: all of it. */
  gangPolicy?: GangPolicyArgs;
  /**
   * How near to one another pods run, on the PodGroup of each serving group. It needs Volcano and its HyperNodes.
   * Default: any.
   */
  networkTopology?: ServingNetworkTopologyArgs;
  /**
   * Kthena's wait before it recreates pods after an error. LeaderWorkerSet recreates an instance as soon as a container
   * restarts; the preview warns of it. Default 0.
   */
  restartGracePeriodSeconds?: number;
}

/** A part of a serving group: instances of an entry pod and its workers. */
export interface ServingRoleArgs {
  /** The role's name: a DNS label of at most 12 characters, unique in the template. */
  name: string;
  /** Instances of the role in each serving group. Default 1. */
  replicas?: number;
  /** The pod that leads an instance, or is all of it. */
  entryTemplate: PodTemplateArgs;
  /** Pods of an instance beside the entry pod. Default 0. */
  workerReplicas?: number;
  /** Those pods; needed where workerReplicas is above 0. */
  workerTemplate?: PodTemplateArgs;
  /** Number or percentage that may be unavailable during an update. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** Number or percentage, from the first on, that keeps its old pods. Default 0. */
  partition?: pulumi.Inputs[string];
}
