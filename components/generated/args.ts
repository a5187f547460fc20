// Made from sdk/spec by scripts/argument-types.ts; change the schemas, not this file.

import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { PodTemplateArgs, ResourceRequirementsArgs } from "../pod-template.ts";
import type {
  GatewaySpec,
  HTTPRouteFilter,
  HTTPRouteMatch,
  HTTPRouteRule,
  HTTPRouteTimeouts,
  ParentReference,
} from "./kubernetes.ts";

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
  waitFor?: WaitFor;
  /**
   * Whether to create an object of kind InferenceService in the cluster (`fusioninfer.io/v1alpha1`), in which the
   * status controller reports the state of every role. This project does not deploy anything from the object. Leave it
   * out if FusionInfer's operator runs in the cluster, because the operator would deploy the service a second time. If
   * only its CRD is installed, set stack configuration `pulumi-inference:statusSchema` to `fusioninfer`: status that
   * does not fit the CRD is then written to an annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
}

/** Metadata shared by all objects of a component. */
export interface MetadataArgs {
  /** Prefix of every object's name. Changing it replaces every object. Default: the name of the resource. */
  name?: string;
  /**
   * Namespace of the objects, such as `ns.metadata.name` of a Namespace in the program. It must exist. Changing it
   * replaces every object. Default `default`.
   */
  namespace?: pulumi.Input<string>;
  /**
   * Labels of every object. The prefixes `fusioninfer.io/` and `leaderworkerset.sigs.k8s.io/` are reserved. Default
   * none.
   */
  labels?: Record<string, string>;
  /** Annotations of every object. Default none. */
  annotations?: Record<string, string>;
}

/** Task of the pods of a role. */
export const ComponentType = {
  /** They serve whole requests. */
  Worker: "worker",
  /** They compute prompts, from which decoders continue. */
  Prefiller: "prefiller",
  /** They generate tokens from prompts that prefillers have computed. */
  Decoder: "decoder",
  /** They route requests to the pods of the other roles. */
  Router: "router",
} as const;
export type ComponentType = (typeof ComponentType)[keyof typeof ComponentType];

/**
 * Part of a service: pods that run an inference engine, or the router in front of them. componentType selects which.
 */
export type RoleArgs = EngineRoleArgs | RouterRoleArgs;

/** Pods that run an inference engine. */
export interface EngineRoleArgs {
  /**
   * Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a
   * router routes requests to the other roles. Prefillers and decoders require each other.
   */
  componentType: EngineType;
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
}

/** Task of the pods of an engine. */
export const EngineType = {
  /** They serve whole requests. */
  Worker: "worker",
  /** They compute prompts, from which decoders continue. */
  Prefiller: "prefiller",
  /** They generate tokens from prompts that prefillers have computed. */
  Decoder: "decoder",
} as const;
export type EngineType = (typeof EngineType)[keyof typeof EngineType];

/** How an update of the pod template replaces the replicas of a role. */
export interface RoleRolloutArgs {
  /** Maximum number of replicas that are away at a time. Default 1. */
  maxUnavailable?: number;
  /**
   * Maximum number of replicas that are added until the update is complete. They need free accelerators, and one
   * LeaderWorkerSet per role. Default 0.
   */
  maxSurge?: number;
}

/** Groups of pods that form one replica. */
export interface MultinodeArgs {
  /** Pods per replica, including the leader. 1 is the same as no multinode. */
  nodeCount: number;
  /**
   * How the pods of a replica form one engine. Default for SGLang: sglang. Default for vLLM, by the image's tag: mp
   * from version 0.11.1; ray for older versions and for TPU, XPU and Ascend images. Required if the engine or its
   * version is unknown.
   */
  executor?: Executor;
  /**
   * Whether the pods of a replica must run on different nodes. Pods that fill a node always run on different nodes.
   * Default false.
   */
  distinctNodes?: boolean;
}

/** How the pods of a multi-node replica form one engine. */
export const Executor = {
  /** Ray; the default for vLLM before 0.11.1 and for its TPU, XPU and Ascend images. */
  Ray: "ray",
  /** VLLM multiprocessing without Ray; the default from vLLM 0.11.1 on. */
  Mp: "mp",
  /** SGLang's built-in launcher; the default for SGLang. */
  Sglang: "sglang",
  /** The template's command. */
  Custom: "custom",
} as const;
export type Executor = (typeof Executor)[keyof typeof Executor];

/** Plugin that customises pods. */
export interface PodPluginArgs {
  /** Name of a built-in plugin or of one of the program's plugins. For a Webhook, any DNS label. */
  name: string;
  /**
   * Whether the plugin is code of this project or the program, or an HTTPS endpoint, which must be allowed. Default
   * `BuiltIn`.
   */
  type?: PodPluginType;
  /** Settings that the plugin's schema defines. A Webhook receives them unchanged. */
  config?: pulumi.Inputs;
  /** Pods that the plugin customises. Default: all pods that run an engine. */
  scope?: PodPluginScopeArgs;
  /** Endpoint of a plugin of type Webhook, and how pods are handled while it does not respond. */
  webhook?: PodPluginWebhookArgs;
}

/** Location of a pod plugin's code. */
export const PodPluginType = {
  /** The code is part of this project or of the program. */
  BuiltIn: "BuiltIn",
  /** The code runs behind an HTTPS endpoint. */
  Webhook: "Webhook",
} as const;
export type PodPluginType = (typeof PodPluginType)[keyof typeof PodPluginType];

/** Pods that a plugin customises. */
export interface PodPluginScopeArgs {
  /**
   * Names of the roles whose pods the plugin customises. Not allowed in the plugins of a role. Default: all roles that
   * run an engine.
   */
  roles?: string[];
  /** Whether the plugin customises leaders and single pods, the other pods of replicas, or both. Default `All`. */
  target?: PodPluginTarget;
}

/** Which pods of a replica a plugin customises. */
export const PodPluginTarget = {
  /** The leader, or the only pod. */
  Entry: "Entry",
  /** The other pods. */
  Worker: "Worker",
  /** All pods. */
  All: "All",
} as const;
export type PodPluginTarget = (typeof PodPluginTarget)[keyof typeof PodPluginTarget];

/** Endpoint that is called when pods are created or become ready. */
export interface PodPluginWebhookArgs {
  /**
   * HTTPS address that receives hook requests. Stack configuration pulumi-inference:podPluginUrls lists the allowed
   * addresses.
   */
  url: string;
  /** When the endpoint is called. Default `OnPodCreate`. */
  hooks?: PodHook[];
  /** How a pod is handled if the call fails. Default `Fail`. */
  failurePolicy?: PodPluginFailurePolicy;
  /** Time limit of one call in seconds, 1 to 10. Default 3. */
  timeoutSeconds?: number;
  /**
   * PEM certificates of the CAs that signed the endpoint's certificate. Default: the system's certificate authorities.
   */
  caBundle?: string;
}

/** When a pod plugin is called. */
export const PodHook = {
  /** Before a pod is created, so that the pod starts with the plugin's changes. */
  OnPodCreate: "OnPodCreate",
  /** Each time a pod becomes ready. */
  OnPodReady: "OnPodReady",
} as const;
export type PodHook = (typeof PodHook)[keyof typeof PodHook];

/** How a pod is handled if a Webhook does not respond. */
export const PodPluginFailurePolicy = {
  /** The pod is not created, and its controller tries again. */
  Fail: "Fail",
  /** The pod is created without the plugin. */
  Ignore: "Ignore",
} as const;
export type PodPluginFailurePolicy =
  (typeof PodPluginFailurePolicy)[keyof typeof PodPluginFailurePolicy];

/** Receiver of trace spans, and the share of requests that are sampled. */
export interface TracingArgs {
  /** URL of an OTLP receiver for gRPC, such as an OpenTelemetry collector. */
  endpoint: string;
  /**
   * Share of the requests without a trace that are sampled, from 0 to 1. Requests with a trace follow its sampling
   * decision. Default 0.1.
   */
  sampleRatio?: number;
}

/** Accelerator model that the engine runs on. */
export const AcceleratorName = {
  /** H100 SXM 80 GB. */
  H100Sxm: "h100-sxm",
  /** H200 SXM 141 GB. */
  H200Sxm: "h200-sxm",
  /** L40S. */
  L40s: "l40s",
  /** H100 PCIe 80 GB. */
  H100Pcie: "h100-pcie",
  /** H100 NVL 94 GB. */
  H100Nvl: "h100-nvl",
  /** B200 180 GB. */
  B200Sxm: "b200-sxm",
  /** B300 288 GB. */
  B300Sxm: "b300-sxm",
  /** GB200 186 GB. */
  Gb200: "gb200",
  /** GB300 288 GB. */
  Gb300: "gb300",
  /** A100 SXM4 80 GB. */
  A100Sxm80gb: "a100-sxm-80gb",
  /** A100 SXM4 40 GB. */
  A100Sxm40gb: "a100-sxm-40gb",
  /** L4. */
  L4: "l4",
  /** A10G. */
  A10g: "a10g",
  /** MI300X. */
  Mi300x: "mi300x",
  /** MI325X. */
  Mi325x: "mi325x",
  /** MI355X. */
  Mi355x: "mi355x",
  /** Gaudi 3. */
  Gaudi3: "gaudi3",
  /** TPU v5e. */
  TpuV5e: "tpu-v5e",
  /** TPU v6e. */
  TpuV6e: "tpu-v6e",
  /** Ascend 910B, 64 GB. */
  Ascend910b: "ascend-910b",
  /** P100 PCIe 16 GB. */
  P100Pcie16gb: "p100-pcie-16gb",
  /** V100 SXM2 16 GB. */
  V100Sxm16gb: "v100-sxm-16gb",
  /** V100 SXM2 32 GB. */
  V100Sxm32gb: "v100-sxm-32gb",
  /** T4. */
  T4: "t4",
  /** A100 PCIe 80 GB. */
  A100Pcie80gb: "a100-pcie-80gb",
  /** A30. */
  A30: "a30",
  /** A10. */
  A10: "a10",
  /** A40. */
  A40: "a40",
  /** RTX 3090. */
  Rtx3090: "rtx-3090",
  /** RTX A6000. */
  RtxA6000: "rtx-a6000",
  /** L40. */
  L40: "l40",
  /** RTX 4090. */
  Rtx4090: "rtx-4090",
  /** RTX 6000 Ada. */
  Rtx6000Ada: "rtx-6000-ada",
  /** H20 96 GB. */
  H20: "h20",
  /** GH200 96 GB. */
  Gh200: "gh200",
  /** RTX 5090. */
  Rtx5090: "rtx-5090",
  /** RTX PRO 6000 Blackwell. */
  RtxPro6000: "rtx-pro-6000",
  /** A100 SXM4 40 GB, MIG 1g.5gb. */
  A100Sxm40gb1g5gb: "a100-sxm-40gb-1g.5gb",
  /** A100 SXM4 40 GB, MIG 1g.10gb. */
  A100Sxm40gb1g10gb: "a100-sxm-40gb-1g.10gb",
  /** A100 SXM4 40 GB, MIG 2g.10gb. */
  A100Sxm40gb2g10gb: "a100-sxm-40gb-2g.10gb",
  /** A100 SXM4 40 GB, MIG 3g.20gb. */
  A100Sxm40gb3g20gb: "a100-sxm-40gb-3g.20gb",
  /** A100 SXM4 40 GB, MIG 4g.20gb. */
  A100Sxm40gb4g20gb: "a100-sxm-40gb-4g.20gb",
  /** A100 SXM4 80 GB, MIG 1g.10gb. */
  A100Sxm80gb1g10gb: "a100-sxm-80gb-1g.10gb",
  /** A100 SXM4 80 GB, MIG 1g.20gb. */
  A100Sxm80gb1g20gb: "a100-sxm-80gb-1g.20gb",
  /** A100 SXM4 80 GB, MIG 2g.20gb. */
  A100Sxm80gb2g20gb: "a100-sxm-80gb-2g.20gb",
  /** A100 SXM4 80 GB, MIG 3g.40gb. */
  A100Sxm80gb3g40gb: "a100-sxm-80gb-3g.40gb",
  /** A100 SXM4 80 GB, MIG 4g.40gb. */
  A100Sxm80gb4g40gb: "a100-sxm-80gb-4g.40gb",
  /** H100 SXM 80 GB, MIG 1g.10gb. */
  H100Sxm1g10gb: "h100-sxm-1g.10gb",
  /** H100 SXM 80 GB, MIG 1g.20gb. */
  H100Sxm1g20gb: "h100-sxm-1g.20gb",
  /** H100 SXM 80 GB, MIG 2g.20gb. */
  H100Sxm2g20gb: "h100-sxm-2g.20gb",
  /** H100 SXM 80 GB, MIG 3g.40gb. */
  H100Sxm3g40gb: "h100-sxm-3g.40gb",
  /** H100 SXM 80 GB, MIG 4g.40gb. */
  H100Sxm4g40gb: "h100-sxm-4g.40gb",
  /** H200 SXM 141 GB, MIG 1g.18gb. */
  H200Sxm1g18gb: "h200-sxm-1g.18gb",
  /** H200 SXM 141 GB, MIG 1g.35gb. */
  H200Sxm1g35gb: "h200-sxm-1g.35gb",
  /** H200 SXM 141 GB, MIG 2g.35gb. */
  H200Sxm2g35gb: "h200-sxm-2g.35gb",
  /** H200 SXM 141 GB, MIG 3g.71gb. */
  H200Sxm3g71gb: "h200-sxm-3g.71gb",
  /** H200 SXM 141 GB, MIG 4g.71gb. */
  H200Sxm4g71gb: "h200-sxm-4g.71gb",
  /** B200 180 GB, MIG 1g.23gb. */
  B200Sxm1g23gb: "b200-sxm-1g.23gb",
  /** B200 180 GB, MIG 1g.45gb. */
  B200Sxm1g45gb: "b200-sxm-1g.45gb",
  /** B200 180 GB, MIG 2g.45gb. */
  B200Sxm2g45gb: "b200-sxm-2g.45gb",
  /** B200 180 GB, MIG 3g.90gb. */
  B200Sxm3g90gb: "b200-sxm-3g.90gb",
  /** B200 180 GB, MIG 4g.90gb. */
  B200Sxm4g90gb: "b200-sxm-4g.90gb",
  /** MI210. */
  Mi210: "mi210",
  /** MI250X, one of two dies. */
  Mi250x: "mi250x",
  /** MI350X. */
  Mi350x: "mi350x",
  /** Gaudi 2. */
  Gaudi2: "gaudi2",
  /** TPU v5p. */
  TpuV5p: "tpu-v5p",
  /** CPU. */
  Cpu: "cpu",
} as const;
export type AcceleratorName = (typeof AcceleratorName)[keyof typeof AcceleratorName];

/** Nodes that the pods of an accelerator run on. */
export interface NodePlacementArgs {
  /**
   * Whether the pods may run on any node with the requested resource, whatever its accelerator. Not allowed with
   * `selector`. Default false.
   */
  any?: boolean;
  /**
   * Labels of the nodes, instead of the labels of the accelerator. Default: the labels of the accelerator in
   * docs/gpu-nodes.md.
   */
  selector?: Record<string, pulumi.Input<string>>;
  /**
   * Tolerations for taints of the nodes (core/v1 Toleration), instead of the planned ones. Default: the taints of GPU
   * pools in docs/gpu-nodes.md.
   */
  tolerations?: pulumi.Input<types.input.core.v1.Toleration>[];
}

/** Engine and its settings. Each setting becomes one of the engine's flags. */
export interface EngineSettingsArgs {
  /** Name of the engine. */
  name: EngineKind;
  /** Version of the engine. Default: the newest version that this library was tested with. */
  version?: string;
  /** Image of the engine. Default: the engine's image for the accelerator. */
  image?: pulumi.Input<string>;
  /**
   * Maximum context length in tokens. Default: the model's maximum, or the part of it that fits on the selected
   * devices.
   */
  maxModelLen?: number;
  /** Maximum number of requests that run concurrently. Default: the engine's default. */
  maxNumSeqs?: number;
  /** Share of each device's memory for weights and KV cache. Default: 0.9. SGLang chooses its own share. */
  memoryFraction?: number;
  /**
   * Tensor parallel size: devices that share each layer. Default: the fewest devices of a node that hold the model and
   * one request of `maxModelLen` tokens (16,384 if unset).
   */
  tensorParallel?: number;
  /** Pipeline parallel size: groups of devices that split the layers. Default: one group per node. */
  pipelineParallel?: number;
  /** Data parallel size: copies of the attention layers in one engine, each on its own devices. Default 1. */
  dataParallel?: number;
  /**
   * Whether each expert stays whole on one device (expert parallelism). Default: true if the experts cannot be divided.
   */
  expertParallel?: boolean;
  /** Data type of weights that are not quantized. `auto` uses the data type of the checkpoint. Default `auto`. */
  dtype?: DataType;
  /** Quantization that is applied to a 16-bit model when it loads. Default `auto`. */
  quantization?: Quantization;
  /** Data type of the KV cache. `auto` uses the data type that the model computes in. Default `auto`. */
  kvCacheDtype?: KvCacheDataType;
  /** LoRA adapters. Default: none. */
  lora?: LoraArgs;
  /** KV blocks in host memory and on disk. Not supported for prefillers and decoders. Default: none. */
  kvOffload?: KvOffloadArgs;
  /** Speculative decoding. Default: none. */
  speculative?: SpeculationArgs;
  /**
   * Further arguments of the engine. They replace planned arguments such as --port and --served-model-name. An option
   * that another field sets is refused. Default none.
   */
  args?: string[];
  /** Environment variables of the engine. Default none. */
  env?: Record<string, pulumi.Input<string>>;
}

/** Program that serves a model. */
export const EngineKind = {
  /** vLLM. */
  Vllm: "vllm",
  /** SGLang. */
  Sglang: "sglang",
  /** TensorRT-LLM. */
  TensorRtLlm: "tensorrt-llm",
} as const;
export type EngineKind = (typeof EngineKind)[keyof typeof EngineKind];

/** Data type of a model with weights of 16 bits or more. */
export const DataType = {
  /** The data type of the model. */
  Auto: "auto",
  /** bfloat16. */
  Bfloat16: "bfloat16",
  /** float16. */
  Float16: "float16",
  /** float32. */
  Float32: "float32",
} as const;
export type DataType = (typeof DataType)[keyof typeof DataType];

/** Quantization that is applied to a 16-bit model when it loads. */
export const Quantization = {
  /** None: the weights keep the checkpoint's data type. */
  Auto: "auto",
  /** FP8, with scales that the engine computes. */
  Fp8: "fp8",
} as const;
export type Quantization = (typeof Quantization)[keyof typeof Quantization];

/** Data type of the KV cache. */
export const KvCacheDataType = {
  /** The data type that the model computes in. */
  Auto: "auto",
  /** FP8, which halves the size of the cache. */
  Fp8: "fp8",
} as const;
export type KvCacheDataType = (typeof KvCacheDataType)[keyof typeof KvCacheDataType];

/** LoRA adapters of a model. */
export interface LoraArgs {
  /** Adapters that the engine loads with the model. Default: none. */
  adapters?: AdapterArgs[];
  /** Maximum rank of an adapter. Default 16. */
  maxRank?: number;
  /** Maximum number of adapters in one batch. Default: the number of listed adapters, at least 1. */
  maxLoaded?: number;
  /** Whether administrators may load further adapters at run time. Default false. */
  dynamic?: boolean;
  /**
   * Directory in the engine's container from which vLLM loads an adapter that a request names. Setting it makes
   * adapters dynamic. Default: none.
   */
  directory?: string;
}

/** LoRA adapter. */
export interface AdapterArgs {
  /** Model name under which requests select the adapter. */
  name: string;
  /** Repository on Hugging Face, or a path in the engine's container. */
  source: string;
}

/** Storage for KV blocks outside the accelerators' memory. */
export interface KvOffloadArgs {
  /** Host memory per replica for KV blocks evicted from the accelerators, such as 200Gi. */
  cpu: string;
  /**
   * Volume for KV blocks evicted from host memory. The engine never deletes its files: limit the volume's size and
   * clean it up. Default: none.
   */
  disk?: LastingVolumeArgs;
}

/** Volume that outlives pods: either a claim or a directory on the nodes. */
export interface LastingVolumeArgs {
  /** Name of a PersistentVolumeClaim, which the replicas of all roles share. */
  claim?: pulumi.Input<string>;
  /** Directory on the nodes, such as a local SSD. */
  hostPath?: string;
}

/** Speculative decoding. */
export interface SpeculationArgs {
  /** Source of the draft tokens. */
  method: SpeculationMethod;
  /** Draft tokens per step. */
  tokens: number;
  /** Draft model on Hugging Face, required for eagle3. Default: none. */
  model?: string;
}

/** Source of the draft tokens. */
export const SpeculationMethod = {
  /** The model's multi-token prediction layers. */
  Mtp: "mtp",
  /** Draft model. */
  Eagle3: "eagle3",
  /** Repetitions in the prompt. */
  Ngram: "ngram",
} as const;
export type SpeculationMethod = (typeof SpeculationMethod)[keyof typeof SpeculationMethod];

/**
 * Network devices of pods that exchange tensors or KV blocks with other pods: multi-node replicas, prefillers and
 * decoders.
 */
export interface NetworkDevicesArgs {
  /** Kind of network. */
  kind: NetworkKind;
  /**
   * Resource name under which a pod requests the devices. Default: `rdma/hca` for rdma, `vpc.amazonaws.com/efa` for
   * efa. Required for sriov.
   */
  resource?: string;
  /**
   * Devices per pod. Default: 1 for rdma, one per network for sriov. Required for efa, because instance types differ.
   */
  devices?: number;
  /** NetworkAttachmentDefinitions of a pod, one for each device. Only for sriov. */
  networks?: string[];
  /**
   * Devices that NCCL, UCX and SGLang's transfer use, such as mlx5_0. Not allowed for efa. Default: each selects its
   * own devices.
   */
  hcas?: string[];
  /** Index of the devices' RoCE address. Default: NCCL and UCX select it. */
  gidIndex?: number;
  /** Network interface through which NCCL and Gloo find the other pods, such as eth0. Default: they select it. */
  socketInterface?: string;
}

/** Kind of network between the pods of a model. */
export const NetworkKind = {
  /** InfiniBand or RoCE, through a device plugin that shares the host's devices. */
  Rdma: "rdma",
  /** InfiniBand or RoCE, through virtual functions on Multus networks. */
  SrIov: "sriov",
  /** Elastic Fabric Adapters of AWS. */
  Efa: "efa",
} as const;
export type NetworkKind = (typeof NetworkKind)[keyof typeof NetworkKind];

/** Request routing in front of the engines: an endpoint picker, an InferencePool and, optionally, a route. */
export interface RouterRoleArgs {
  /**
   * Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a
   * router routes requests to the other roles. Prefillers and decoders require each other.
   */
  componentType: "router";
  /**
   * Name of the role: a DNS label, unique in the service. It is part of object names; changing it replaces the role's
   * objects.
   */
  name: string;
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
  /** Instances of the engine, or pods of a router's endpoint picker. 0 stops the role. Default 1. */
  replicas?: number;
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
   * Time in seconds that running responses may take when a pod of the picker terminates, after 30 s in which it still
   * accepts requests. Default 600.
   */
  drainSeconds?: number;
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

/** How the picker selects the pod of a request. */
export const RoutingStrategy = {
  /**
   * The pod with the lowest cost in prompt tokens: tokens of the request that are not cached there, plus tokens queued
   * before it.
   */
  PrefixCache: "prefix-cache",
  /** Among the pods with a low cost, one with free KV cache. */
  KvCacheUtilization: "kv-cache-utilization",
  /** Among the pods with a low cost, one with a short queue. */
  QueueSize: "queue-size",
  /** Among the pods with a low cost, one that has loaded the request's LoRA adapter. */
  LoraAffinity: "lora-affinity",
  /** A prefiller and a decoder, each with the lowest cost in prompt tokens. */
  PdDisaggregation: "pd-disaggregation",
} as const;
export type RoutingStrategy = (typeof RoutingStrategy)[keyof typeof RoutingStrategy];

/** Port of a SharedEndpointPicker in the pool's namespace. */
export interface SharedPickerPortArgs {
  /** Name of the SharedEndpointPicker. */
  name: string;
  /** Port of the shared picker that no other pool uses. */
  port: number;
}

/** Spec of the HTTPRoute (`gateway.networking.k8s.io/v1`) to a service. */
export interface RouterHttpRouteArgs {
  /**
   * Gateways that the route attaches to: name, and optionally namespace, sectionName and port. Default: the Gateway
   * that the router creates.
   */
  parentRefs?: ParentReference[];
  /** Host names. Default: the host names of the gateways' listeners. */
  hostnames?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Matches, filters and timeouts of the rules. Their backendRefs are set to the service's pool. A rule without
   * timeouts gets `request: 0s`, which disables the limit, if gateways of this type otherwise cut long responses.
   * Default: one rule for the paths of clients' APIs.
   */
  rules?: HTTPRouteRule[];
}

/** Gateway of a router: its kind, and the spec of the Gateway (`gateway.networking.k8s.io/v1`) to create. */
export interface RouterGatewayArgs extends Partial<GatewaySpec> {
  /**
   * Kind of gateway. Some kinds need further objects besides the pool. Default: derived from gatewayClassName, else
   * generic.
   */
  type?: PoolGatewayType;
}

/** Kinds of gateways in front of a pool. */
export const PoolGatewayType = {
  /** Any gateway that implements the inference extension for InferencePools. */
  Generic: "generic",
  /** Istio 1.28 or later. */
  Istio: "istio",
  /** GKE Inference Gateway. */
  Gke: "gke",
  /** Envoy Gateway with Envoy AI Gateway. */
  EnvoyGateway: "envoy-gateway",
  /** agentgateway. */
  Agentgateway: "agentgateway",
  /** NGINX Gateway Fabric. */
  Ngf: "ngf",
} as const;
export type PoolGatewayType = (typeof PoolGatewayType)[keyof typeof PoolGatewayType];

/** Clients that may send requests: clients with an API key, or clients with a token. */
export interface RouterAccessArgs {
  /** Clients with an API key. Default: none. */
  apiKeys?: ApiKeyAccessArgs;
  /** Clients with a token of an issuer. Default: none. */
  jwt?: JwtAccessArgs;
}

/** API keys, which clients send as `Authorization: Bearer KEY`. */
export interface ApiKeyAccessArgs {
  /**
   * Name of a Secret in the service's namespace. Each of its keys is the name of a tenant, and the value is the API key
   * of this tenant.
   */
  secret: pulumi.Input<string>;
}

/** JSON Web Tokens, which clients send as `Authorization: Bearer TOKEN`. */
export interface JwtAccessArgs {
  /** Accepted issuers: 1 to 16. */
  issuers: JwtIssuerArgs[];
  /**
   * Claim with the tenant of a request. With several issuers, equal claims of two issuers are two tenants. Default
   * `sub`.
   */
  tenantClaim?: string;
}

/** Issuer of JSON Web Tokens. */
export interface JwtIssuerArgs {
  /** Issuer of tokens: their claim `iss`. */
  issuer: string;
  /**
   * Audiences, one of which a token must have in its claim `aud`: 1 to 32. Issuers also sign tokens for other programs.
   */
  audiences: string[];
  /** URL of the issuer's public keys (JWKS): https. */
  jwksUrl: string;
}

/** PodDisruptionBudgetSpec (policy/v1) without its selector. `{ maxUnavailable: "100%" }` protects no pods. */
export interface DisruptionBudgetArgs {
  /** Pods that must remain available, as a number or a percentage such as 50%. Not allowed with maxUnavailable. */
  minAvailable?: pulumi.Inputs[string];
  /** Pods that may be unavailable, as a number or a percentage such as 50%. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** Whether pods that are not ready may always be evicted. Default AlwaysAllow. */
  unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicy;
}

/** Whether a disruption budget protects pods that are not ready. */
export const UnhealthyPodEvictionPolicy = {
  /** Pods that are not ready are protected while too few pods are ready. */
  IfHealthyBudget: "IfHealthyBudget",
  /** Pods that are not ready may always be evicted. */
  AlwaysAllow: "AlwaysAllow",
} as const;
export type UnhealthyPodEvictionPolicy =
  (typeof UnhealthyPodEvictionPolicy)[keyof typeof UnhealthyPodEvictionPolicy];

/** How a picker handles requests whose body it cannot read. */
export const UnparsedBodies = {
  /** It rejects them with 403 if the pool has rules that cannot be applied to such a body. */
  Reject: "reject",
  /** It forwards them unread, with the model and fields that the client set. */
  Allow: "allow",
} as const;
export type UnparsedBodies = (typeof UnparsedBodies)[keyof typeof UnparsedBodies];

/** How requests wait in the picker. The defaults suit interactive chat. */
export interface FlowControlArgs {
  /**
   * Whether requests wait in the picker, ordered by priority and fairness, while no model server has free capacity. If
   * false, they wait at the model servers. Default true.
   */
  enabled?: boolean;
  /**
   * Target for the time between two tokens of a response, in ms. The picker limits the concurrent requests of each
   * model server to the number that keeps this pace; further requests wait in the picker, by priority. Default: none.
   */
  timeBetweenTokensMs?: number;
  /** Maximum number of queued requests per priority. Further requests get status 429. Default 2000. */
  maxRequests?: number;
  /**
   * Maximum size in bytes of the queued requests' bodies per priority, which the picker holds in memory. Default
   * `256Mi`.
   */
  maxBytes?: string;
  /**
   * Maximum time in seconds that a request waits before it gets status 429. The gateway's timeout must be longer.
   * Default 30.
   */
  requestTimeoutSeconds?: number;
  /**
   * Maximum time in seconds that a request waits while the pool has no model server, before it gets status 503. Set it
   * to the start-up time of a model server. The gateway's timeout must be longer. Default 300; 299 behind Envoy AI
   * Gateway, 59 behind NGINX Gateway Fabric; 1 for an exported pool, whose importer then tries another cluster.
   */
  noServerTimeoutSeconds?: number;
}

/** How the gateway handles requests while the endpoint picker does not respond. */
export const FailureMode = {
  /** It rejects them. */
  FailClose: "FailClose",
  /** It sends them to any pod of the pool. */
  FailOpen: "FailOpen",
} as const;
export type FailureMode = (typeof FailureMode)[keyof typeof FailureMode];

/**
 * Export of a pool to the other clusters of its set. The set's controller creates an InferencePoolImport for it in each
 * of them.
 */
export interface ExportArgs {
  /** How other clusters reach the pool. Default `EndpointMode`. */
  mode?: ExportMode;
  /**
   * Members of the cluster set that import the pool, as a label selector over the members' `labels` in the ClusterSet.
   * Default: all members.
   */
  exportTo?: string;
  /** Whether the GKE fleet also imports the pool, as a GCPInferencePoolImport of its config cluster. Default false. */
  gkeFleet?: boolean;
  /** Type of the picker's Service. Default `ClusterIP`. */
  serviceType?: ExportServiceType;
  /**
   * Annotations of that Service, such as the cloud provider's annotations for internal load balancers. Default none.
   */
  serviceAnnotations?: Record<string, string>;
  /**
   * Secret with tls.crt and tls.key of the picker's serving certificate, which importing clusters verify. Default: a
   * self-signed certificate that the picker creates at start and that no importing cluster can verify.
   */
  certificateSecret?: string;
  /**
   * Issuer of that certificate, instead of an existing Secret: a cert-manager Certificate is created for the picker's
   * Service. Default: none.
   */
  certificateIssuer?: CertificateIssuerArgs;
  /**
   * ConfigMap with key ca.crt. All clients of the picker, including gateways of its own cluster, need a certificate
   * signed by these certificate authorities. Default: clients need no certificate.
   */
  clientCaConfigMap?: string;
  /** Networks, as CIDRs, from which other clusters may connect to the picker. Default: any network. */
  allowedNetworks?: string[];
  /**
   * Whether other clusters can also reach the picker's metrics (port 9090). Importing pickers that select clusters by
   * load need them; without metrics they assume an average load. Any client that reaches the picker may then read its
   * metrics: clients with a certificate of clientCaConfigMap, otherwise clients in allowedNetworks. Default false.
   */
  metrics?: boolean;
}

/** How other clusters reach an exported pool. */
export const ExportMode = {
  /**
   * Importing gateways call the picker of this cluster and connect to its pods. The clusters' pod networks must be
   * connected.
   */
  Endpoint: "EndpointMode",
  /** Importing gateways send requests to a gateway of this cluster. */
  Parent: "ParentMode",
} as const;
export type ExportMode = (typeof ExportMode)[keyof typeof ExportMode];

/** Service type of an exported pool's picker. */
export const ExportServiceType = {
  /** For networks that route cluster addresses between clusters. */
  ClusterIP: "ClusterIP",
  /** For networks that do not route cluster addresses between clusters. */
  LoadBalancer: "LoadBalancer",
} as const;
export type ExportServiceType = (typeof ExportServiceType)[keyof typeof ExportServiceType];

/** cert-manager issuer that creates and renews a certificate. */
export interface CertificateIssuerArgs {
  /** Name of the issuer. */
  name: string;
  /**
   * Kind of the issuer: `Issuer` (in the same namespace), `ClusterIssuer`, or the kind of an external issuer. Default
   * `Issuer`.
   */
  kind?: string;
  /** Further names in the certificate, besides the name of the picker's Service. Default none. */
  dnsNames?: string[];
  /** API group of the issuer's kind. Default `cert-manager.io`. */
  group?: string;
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
  config?: Record<string, unknown>;
}

/** Source of a model's files. */
export const ModelSource = {
  /** The engine downloads the files from Hugging Face. */
  HuggingFace: "huggingFace",
  /** Image that contains the files, mounted as an image volume (Kubernetes 1.33 or later). */
  Oci: "oci",
  /** PersistentVolumeClaim that contains the files. */
  Pvc: "pvc",
  /** S3 bucket from which the engine streams the files to the accelerators. */
  S3: "s3",
  /** Google Cloud Storage bucket from which the engine streams the files to the accelerators. */
  Gcs: "gcs",
} as const;
export type ModelSource = (typeof ModelSource)[keyof typeof ModelSource];

/** Value of a Secret. */
export interface SecretKeyArgs {
  /** Name of a Secret in the service's namespace. */
  secret: pulumi.Input<string>;
  /** Key in the Secret. Default `token`. */
  key?: string;
}

/** Number of LeaderWorkerSets per role. */
export const WorkloadMode = {
  /** One per replica for multi-node roles and for prefillers and decoders that work together, else one per role. */
  Auto: "auto",
  /** One per replica. */
  PerReplica: "perReplica",
  /** One per role, which autoscalers can scale and which updates replica by replica. */
  PerRole: "perRole",
} as const;
export type WorkloadMode = (typeof WorkloadMode)[keyof typeof WorkloadMode];

/**
 * Limits within which an autoscaler changes the number of replicas. A unit is one replica of a worker role, or the
 * smallest group of prefillers and decoders in the ratio of their `replicas`.
 */
export interface AutoscalingArgs {
  /**
   * Minimum number of units. With 0, the last unit stops when there are no requests, and a request waits in the picker
   * until a unit is ready. Default 1.
   */
  minUnits?: number;
  /** Maximum number of units. Required unless maxAccelerators is set. */
  maxUnits?: number;
  /** Maximum number of accelerators of all units together, instead of maxUnits. */
  maxAccelerators?: number;
  /**
   * Share of the slots that requests may use, in percent. The rest is for requests that arrive while a unit starts.
   * Default 80.
   */
  targetUtilization?: number;
  /** Time in seconds for which a lower number of units must be sufficient before units stop. Default 300. */
  scaleDownSeconds?: number;
  /** Controller that changes the number of replicas. Default `keda`. */
  scaler?: Scaler;
}

/** Controller that changes the number of replicas. */
export const Scaler = {
  /** KEDA 2.20 or later, which reads the number from the endpoint pickers. It needs no Prometheus. */
  Keda: "keda",
  /**
   * A HorizontalPodAutoscaler with external metric `inference_desired_replicas`, which an adapter of the cluster
   * provides. It cannot scale to zero.
   */
  Hpa: "hpa",
} as const;
export type Scaler = (typeof Scaler)[keyof typeof Scaler];

/** How `pulumi up` replaces the replicas of a service. Other tools that apply the manifests ignore it. */
export interface ServiceRolloutArgs {
  /**
   * Limits that the responses of replicas with the new pod template must keep. Needs a router with a dedicated picker,
   * which then follows responses. `{}` uses the defaults. Default: a rollout depends only on the readiness of pods.
   */
  gate?: RolloutGateArgs;
  /** Handling of replicas with the new pod template if pods do not start or the gate fails. Default `stop`. */
  onFailure?: RolloutFailure;
}

/** Limits that the responses of replicas with the new pod template must keep during a rollout. */
export interface RolloutGateArgs {
  /**
   * Maximum share of responses with status 500 or above, in percent. If the other replicas respond to the same clients
   * with a higher share, that share is the limit, up to five times this one or 5 %. A difference that chance explains,
   * or that one client causes, does not fail the gate. Default 1.
   */
  maxErrorPercent?: number;
  /**
   * Maximum median time to the first token of streamed responses, relative to the median of the other replicas in the
   * same time. Default 2.
   */
  maxFirstTokenRatio?: number;
  /**
   * Number of responses of the new replicas before the next replica is updated. With more errors than permitted, more
   * responses are counted, up to waitSeconds. Default 50.
   */
  minResponses?: number;
  /**
   * Maximum time in seconds to wait for minResponses, so that a service with few requests is updated as well. Default
   * 120.
   */
  waitSeconds?: number;
}

/** Handling of replicas with the new pod template if a rollout fails. */
export const RolloutFailure = {
  /** They keep it, and the remaining replicas keep the previous one. */
  Stop: "stop",
  /** They get the previous template again, one after the other, before `pulumi up` ends with the error. */
  Rollback: "rollback",
} as const;
export type RolloutFailure = (typeof RolloutFailure)[keyof typeof RolloutFailure];

/** How the pods of a service are scheduled. */
export interface SchedulingStrategyArgs {
  /**
   * Scheduler of all pods of every role. Default: volcano for roles in a gang, else the cluster's default scheduler.
   */
  schedulerName?: string;
  /** Volcano queue of the gang. Default: Volcano's default queue. */
  queue?: string;
  /** PriorityClass of the gang and of the pods. Default: the cluster's default class. */
  priorityClassName?: string;
  /** How pods that depend on each other start. */
  gang?: GangArgs;
}

/** Gang of a service. It contains multi-node roles, and prefillers with decoders. */
export interface GangArgs {
  /** Which pods start together or not at all. Default `subGroup`. */
  layout?: GangLayout;
  /** Limit on the network distance between the pods of a replica. Needs gang layout `subGroup`. Default: any nodes. */
  networkTopology?: NetworkTopologyArgs;
}

/** Which pods start together. */
export const GangLayout = {
  /**
   * Each replica starts as a whole, and the minReplicas of all gang roles start together. Needs Volcano 1.14.1 or
   * later.
   */
  SubGroup: "subGroup",
  /** All replicas of all gang roles start together or not at all, exactly as the design's PodGroup specifies. */
  Task: "task",
  /** Pods start independently, without a PodGroup. */
  None: "none",
} as const;
export type GangLayout = (typeof GangLayout)[keyof typeof GangLayout];

/** Limit on the network distance between pods, in tiers of Volcano's HyperNodes. */
export interface NetworkTopologyArgs {
  /** How strictly the tier is enforced. Default `hard`. */
  mode?: NetworkTopologyMode;
  /** Highest topology tier that the pods may span. Not allowed with highestTierName. */
  highestTierAllowed?: number;
  /** Name of the highest topology tier that the pods may span. */
  highestTierName?: string;
}

/** How strictly a network topology is enforced. */
export const NetworkTopologyMode = {
  /** The pods wait for nodes within the tier. */
  Hard: "hard",
  /** The scheduler prefers nodes within the tier. */
  Soft: "soft",
} as const;
export type NetworkTopologyMode = (typeof NetworkTopologyMode)[keyof typeof NetworkTopologyMode];

/** Resource that counts accelerators. */
export interface AcceleratorArgs {
  /** Resource name in the containers' limits. */
  resource: string;
  /**
   * Units of the resource that make up one device, such as 100 for a resource in percent. Default: the known value of
   * the resource, else 1.
   */
  perDevice?: number;
  /**
   * Engine ranks that run on one device, such as 2 for aws.amazon.com/neuron on Inferentia 2. Default: the known value
   * of the resource, else 1.
   */
  ranksPerDevice?: number;
}

/**
 * Peers that may open connections to pods, as NetworkPolicies. They take effect only if the cluster's network plugin
 * enforces them, and never for pods on the host network.
 */
export interface NetworkPolicyArgs {
  /** Whether to create NetworkPolicies. Default true. */
  enabled?: boolean;
  /**
   * Namespaces of the gateway's proxies. Default: the namespaces of the Gateways that the route names, if this kind of
   * gateway runs its proxies there; else any namespace. With a router's `access`: only pods with the labels of the
   * gateway's proxies, in these namespaces and in the namespace of the gateway's installation.
   */
  gatewayNamespaces?: string[];
  /**
   * Namespaces of metrics scrapers. Default: any namespace for programs, because they require a token; none for
   * engines.
   */
  scraperNamespaces?: string[];
  /**
   * Networks, as CIDRs, of gateways or API servers that do not run in pods, such as nodes or load balancers. Default:
   * none.
   */
  networks?: string[];
}

/** Model name for clients, and the names that model servers receive for it. */
export interface ModelArgs {
  /** Name that clients send as `model`, unique on a pool: the oldest LLMService with the name gets it. */
  name: string;
  /**
   * Latency objective of the model. Setting it makes the model Critical; requests for models without one are rejected
   * first while the pool is full.
   */
  objective?: ObjectiveArgs;
  /**
   * Models or LoRA adapters that model servers receive as the model name, by weight. Default: the name of the model.
   */
  targetModels?: TargetModelArgs[];
}

/** Target latency of a model. It is reported, and orders queued requests, but it is not enforced. */
export interface ObjectiveArgs {
  /**
   * Target for the request latency divided by output tokens, such as 50ms, as the 95th percentile over many requests.
   * Default: none.
   */
  desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests?: string;
  /**
   * Target for the time to the first token, such as 500ms, as the 95th percentile over many streamed requests. Queued
   * requests are dispatched in the order of these deadlines. Default: none; queued requests are then ordered by the
   * time for 100 output tokens.
   */
  desiredTimeToFirstTokenAtP95OverMultipleRequests?: string;
}

/** Target that gets a share of a model's requests. */
export interface TargetModelArgs {
  /** Name of the model or LoRA adapter at the model servers. */
  name: string;
  /**
   * Weight of the target, 0 to 1,000,000: its share is the weight divided by the sum of all weights. Set it for all
   * targets or for none; without weights the shares are equal. If all targets have weight 0, the name is reserved and
   * its requests fail.
   */
  weight?: number;
}

/** How the service handles failing pods. */
export interface ResilienceArgs {
  /**
   * Whether the status controller replaces failing prefillers and decoders. Needs `recyclesPods` of
   * InferenceControllers. Default: requests avoid them, but they are not deleted.
   */
  recycle?: RecycleArgs;
}

/**
 * Deletion of pods whose prefills fail with every partner while other pods work. Pods are deleted one at a time; their
 * LeaderWorkerSet recreates them.
 */
export interface RecycleArgs {
  /** Maximum number of the service's pods that are deleted within an hour. Default 2. */
  podsPerHour?: number;
}

/** Rule that rewrites model names. */
export interface RewriteRuleArgs {
  /**
   * Conditions, one of which a request must match. If empty or omitted, the rule matches every model; rules that name a
   * model take precedence.
   */
  matches?: ModelMatchArgs[];
  /** Model names that the servers receive, by weight: at least one. */
  targets: RewriteTargetArgs[];
}

/** Condition on a request. */
export interface ModelMatchArgs {
  /** Model in the request. */
  model: ModelNameMatchArgs;
}

/** Model in the request. */
export interface ModelNameMatchArgs {
  /** How the model of a request is compared. Default `Exact`. */
  type?: string;
  /** Value of `model` in the request. */
  value: string;
}

/** Target that gets a share of a rule's requests. */
export interface RewriteTargetArgs {
  /** Model name that the servers receive. Rules are not chained. */
  modelRewrite: string;
  /**
   * Weight of the target, 1 to 1,000,000: its share is the weight divided by the sum of all weights. Set it for all
   * targets of a rule or for none.
   */
  weight?: number;
}

/**
 * Condition that creating and updating wait for: none, the service's readiness, or the Available condition of its
 * status object.
 */
export type WaitFor = boolean | "Available";

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
  allowedNamespaces?: Array<string | AllowedNamespaceArgs>;
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

/** Gateway in front of a pool. */
export interface PoolGatewayArgs {
  /** Kind of gateway. Some kinds need further objects besides the pool. */
  type: PoolGatewayType;
}

/** Picker that selects the model server of each request. */
export interface EndpointPickerArgs {
  /** Service of an existing picker. No other field may be set with it. */
  serviceRef?: EndpointPickerServiceArgs;
  /**
   * SharedEndpointPicker that also serves this pool, instead of a dedicated picker. A strategy or a configuration may
   * be set with it. Default: a dedicated picker.
   */
  shared?: SharedPickerPortArgs;
  /** How the picker selects the pod of a request. pd-disaggregation needs an InferenceService. Default prefix-cache. */
  strategy?: RoutingStrategy;
  /** Configuration of the picker as YAML text, instead of a strategy. */
  endpointPickerConfig?: string;
  /**
   * Whether the model servers publish the prefixes in their caches to the picker, which otherwise estimates them. The
   * servers need the arguments listed in docs/prefix-cache.md. Default false.
   */
  kvEvents?: boolean;
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
  /** Pods of the picker. Default 1. */
  replicas?: number;
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
   * Time in seconds that running responses may take when a pod of the picker terminates, after 30 s in which it still
   * accepts requests. Default 600.
   */
  drainSeconds?: number;
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
   * Whether the picker's /metrics requires a bearer token with permission to read it. This needs a ClusterRole. Default
   * true.
   */
  metricsAuth?: boolean;
}

/** Service in the pool's namespace. */
export interface EndpointPickerServiceArgs {
  /** Name of the Service. */
  name: pulumi.Input<string>;
  /** Port of its ext_proc gRPC service. Default 9002. */
  port?: number;
}

/** Namespace that a pool admits. */
export interface AllowedNamespaceArgs {
  /** Namespace of the LLMServices. */
  namespace: string;
  /**
   * Model names that these LLMServices may register, or prefixes such as `games-*`. Default: any name that is not
   * reserved.
   */
  models?: string[];
}

/** How LLMServices share a pool whose capacity is exhausted. */
export interface FairnessArgs {
  /** How LLMServices share the pool. Default `weighted`. */
  policy?: FairnessPolicy;
  /** Whether objectives or fair shares take precedence. Default `objectives-first`. */
  order?: FairnessOrder;
  /**
   * Header with the tenant whose share a request uses instead of the share of its LLMService. `weights` may then
   * contain tenants. The gateway must set the header, because clients can forge it. Default: none.
   */
  byTenantHeader?: string;
  /**
   * Weights of LLMServices by `namespace/name`, 1 to 1,000. They override the `share` of a service. Default: the
   * `share` of each service.
   */
  weights?: Record<string, number>;
}

/** How LLMServices with queued requests share a pool. */
export const FairnessPolicy = {
  /** By tokens of prompts and responses, in proportion to the weights. */
  Weighted: "weighted",
  /** In turns of one request, regardless of size. */
  RoundRobin: "round-robin",
  /** No sharing: the requests of all LLMServices form one queue. */
  FirstCome: "first-come",
} as const;
export type FairnessPolicy = (typeof FairnessPolicy)[keyof typeof FairnessPolicy];

/** Whether objectives or fair shares take precedence if they conflict. */
export const FairnessOrder = {
  /** Requests for models with an objective precede all others. Each of the two groups is shared fairly. */
  ObjectivesFirst: "objectives-first",
  /** If both wait, models with an objective get one half of the pool and models without one get the other half. */
  FairnessFirst: "fairness-first",
} as const;
export type FairnessOrder = (typeof FairnessOrder)[keyof typeof FairnessOrder];

/** Arguments of an InferencePool: existing pods behind an endpoint picker that accepts any model. */
export interface InferencePoolArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Labels of the model servers' pods. */
  selector: Record<string, string>;
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
}

/** Arguments of a SharedEndpointPicker: one endpoint picker for several pools. */
export interface SharedEndpointPickerArgs {
  /**
   * Name, labels, annotations, and the namespace, which must be the namespace of the pools. Default: the resource's
   * name, in namespace `default`.
   */
  metadata?: MetadataArgs;
  /**
   * Ports of the picker's Service. Each pool uses a port of its own, set in its `endpointPicker.shared.port`. Default:
   * 16 ports, from 10000.
   */
  ports?: PoolPortsArgs;
  /** Pods of the picker. Each pod serves every pool. Default 2. */
  replicas?: number;
  /**
   * Kind of the gateway in front. Some kinds need a further object to call the picker. Default: a kind that needs none.
   */
  gatewayType?: PoolGatewayType;
  /**
   * Whether the picker's /metrics requires a bearer token with permission to read it. This needs a ClusterRole. Default
   * true.
   */
  metricsAuth?: boolean;
  /** Peers that may open connections to the picker. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
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
   * Time in seconds that running responses may take when a pod of the picker terminates, after 30 s in which it still
   * accepts requests. Default 600.
   */
  drainSeconds?: number;
  /**
   * Whether the picker processes each response to its end, for metrics of responses. Responses then break if the picker
   * fails. Default false, or true for a router with `access`, whose tenants are billed by these metrics.
   */
  followResponses?: boolean;
  /** Window in seconds over which the latencies of LLMServices are compared with their objectives. Default 300. */
  objectiveWindowSeconds?: number;
  /** Receiver of trace spans, and the share of requests that are sampled. Default: no tracing. */
  tracing?: TracingArgs;
}

/** Ports of a shared picker's Service, one per pool. */
export interface PoolPortsArgs {
  /** First port. Default 10000. */
  first?: number;
  /** Number of consecutive ports, 1 to 1000. Default 16. */
  count?: number;
}

/**
 * Arguments of an LLMService: model names that a team serves on pools. Model names, targets and weights are plain; the
 * pools may be Outputs.
 */
export interface LLMServiceArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /**
   * Weight of the service's requests relative to other services while a pool's capacity is exhausted, 1 to 1,000.
   * Weights set in the pool override it. Default 1.
   */
  share?: number;
  /** Models of the service: 1 or more, each name once. */
  models: ModelArgs[];
  /** Pools that serve the models. They may belong to other stacks. */
  poolRef: PoolReferenceArgs[];
}

/** Pool that an LLMService uses. */
export interface PoolReferenceArgs {
  /** API version of the pool. The field is ignored. Default: none. */
  apiVersion?: string;
  /** Kind of the pool. Default `LLMServerPool`. */
  kind?: PoolKind;
  /**
   * Namespace of the pool. A pool admits other namespaces in allowedNamespaces. Default: the LLMService's namespace.
   */
  namespace?: pulumi.Input<string>;
  /** Name of the pool. */
  name: pulumi.Input<string | undefined>;
}

/** Kind of a pool reference. Both kinds refer to the InferencePool of that name. */
export const PoolKind = {
  /** Pool that LLMServices register on. */
  LLMServerPool: "LLMServerPool",
  /** Pool that accepts any model. Registered names have targets and objectives. */
  InferencePool: "InferencePool",
} as const;
export type PoolKind = (typeof PoolKind)[keyof typeof PoolKind];

/** Arguments of an InferenceModelRewrite: rules that replace the model name of requests to a pool. */
export interface InferenceModelRewriteArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Pool, in the same namespace. */
  poolRef: InferencePoolReferenceArgs;
  /** Rules. The first one that matches a request applies. */
  rules: RewriteRuleArgs[];
  /**
   * API version that the cluster serves. `discoverRewriteVersion` reads it from the cluster. Default: stack
   * configuration `pulumi-inference:rewriteVersion`, else `llm-d.ai/v1alpha2`.
   */
  version?: RewriteVersion;
}

/** Pool, in the same namespace. */
export interface InferencePoolReferenceArgs {
  /** API group of the pool. Default `inference.networking.k8s.io`. */
  group?: string;
  /** Kind of the pool. Default `InferencePool`. */
  kind?: string;
  /** Name of the pool. */
  name: pulumi.Input<string | undefined>;
}

/** API versions of InferenceModelRewrite that clusters serve. */
export const RewriteVersion = {
  /** Version of llm-d, the endpoint picker's upstream project. */
  LlmD: "llm-d.ai/v1alpha2",
  /** Version of the Gateway API inference extension. */
  GatewayApi: "inference.networking.x-k8s.io/v1alpha2",
  /** Version of the proposal, which names targets `split`. */
  Proposal: "inference.networking.x-k8s.io/v1alpha1",
} as const;
export type RewriteVersion = (typeof RewriteVersion)[keyof typeof RewriteVersion];

/** Arguments of an InferenceObjective: a priority that requests name in a header. */
export interface InferenceObjectiveArgs {
  /**
   * Name, namespace, labels and annotations. Requests refer to the name in a header. Default: the resource's name, in
   * namespace `default`.
   */
  metadata?: MetadataArgs;
  /** Pool, in the same namespace. */
  poolRef: InferencePoolReferenceArgs;
  /**
   * Priority of the requests: higher priorities are dispatched first. Requests with a negative priority are rejected
   * first while the pool is full. Default 0.
   */
  priority?: number;
}

/** Arguments of an InferenceRoute: a route from a Gateway to pools, by weight. */
export interface InferenceRouteArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Gateways that the route attaches to: name, and optionally namespace, sectionName and port. */
  parentRefs: ParentReference[];
  /** Host names. Default: the host names of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /**
   * Gateways in parentRefs. Their type decides whether rules need timeouts, and selects the policy of `access`.
   * Default: unspecified, without timeouts.
   */
  gateway?: PoolGatewayArgs;
  /**
   * Clients that may send requests, by a policy of the gateway. The gateway names the tenant of each request in the
   * header `x-llm-d-inference-fairness-id`, and removes this header from clients' requests. Set it as
   * `endpointPicker.tenantHeader` of the pools. Default: everyone who can reach the gateway.
   */
  access?: RouterAccessArgs;
  /** Rules of the route: 1 to 16. */
  rules: InferenceRouteRuleArgs[];
  /**
   * Whether to create a ReferenceGrant in each other namespace with one of the route's pools. The user who deploys the
   * route needs the right to create it. A namespace that is unknown at preview gets none. Default false: the owners of
   * the pools create the grants.
   */
  referenceGrants?: boolean;
}

/** Rule that sends matching requests to pools. */
export interface InferenceRouteRuleArgs {
  /**
   * Model that the rule is limited to. The rule matches on the header X-Gateway-Model-Name, which a ModelRouter in
   * front of the Gateway sets, because an HTTPRoute cannot read bodies. Default: any model.
   */
  model?: string;
  /**
   * Base model that the rule is limited to: the rule applies to the model and to every model name that LLMServices and
   * rewrites add to the rule's pools, so that one rule covers thousands of names. It matches on the header
   * X-Gateway-Base-Model-Name, which a ModelRouter sets. Default: any model.
   */
  baseModel?: string;
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: pulumi.Input<HTTPRouteMatch>[];
  /** HTTPRoute filters. Default: none. */
  filters?: pulumi.Input<HTTPRouteFilter>[];
  /**
   * HTTPRoute timeouts. Default: `request: 0s`, which disables the limit, if gateways of type `gateway.type` otherwise
   * cut long responses; else the gateway's default.
   */
  timeouts?: pulumi.Input<HTTPRouteTimeouts>;
  /** Pools that receive the requests, by weight: 1 to 16. */
  pools: RoutePoolArgs[];
}

/** Pool that gets a share of a rule's requests. */
export interface RoutePoolArgs {
  /** Name of the InferencePool: `poolName` of a pool or an InferenceService. */
  name: pulumi.Input<string | undefined>;
  /**
   * Namespace of the pool. A pool in another namespace needs a ReferenceGrant there, which `referenceGrants` creates.
   * Default: the route's namespace.
   */
  namespace?: pulumi.Input<string>;
  /** Port of the pool. Default: its first port. */
  port?: number;
  /**
   * Weight of the pool, 0 to 1,000,000: its share is the weight divided by the sum of the rule's weights. A pool with
   * weight 0 gets no requests. Default 1.
   */
  weight?: number;
}

/** Arguments of a ModelRouter: a program that sets the model of each request in headers, for routes. */
export interface ModelRouterArgs {
  /**
   * Name, labels, annotations, and the namespace, which must be the namespace of the Gateway. Default: the resource's
   * name, in namespace `default`.
   */
  metadata?: MetadataArgs;
  /** Gateway whose requests the model router reads. */
  gateway: ModelRouterGatewayArgs;
  /** Pods of the model router. While none responds, the gateway rejects every request. Default 2. */
  replicas?: number;
  /** Whether its pages require a bearer token with permission to read them. Default true. */
  metricsAuth?: boolean;
  /** Peers that may open connections to the model router. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
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
}

/** Gateway whose requests the model router reads. */
export interface ModelRouterGatewayArgs {
  /** Name of the Gateway, in the namespace of the model router. Only routes of this Gateway count. */
  name: string;
  /**
   * Kind of the gateway. For `envoy-gateway`, `istio`, `agentgateway` and `gke`, the object that connects the gateway
   * to the model router is created. Configure any other gateway manually: ext_proc, with request bodies in full duplex,
   * at port 9002 of the Service. Default generic.
   */
  type?: PoolGatewayType;
}

/** Arguments of ServiceObjectives: recording rules, alerts and monitors of a service, for the Prometheus Operator. */
export interface ServiceObjectivesArgs {
  /** Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /** Service or pool of the objectives. */
  of: ObjectivesTargetArgs;
  /**
   * Objectives. Each has recording rules and four alerts on its error budget. Default: none; the other alerts are
   * planned.
   */
  objectives?: ObjectivesArgs;
  /** Days for which the rest of the error budget is recorded. Default 28. */
  windowDays?: number;
  /** Labels and annotations of the alerts. */
  alerts?: ObjectiveAlertsArgs;
  /**
   * Whether to plan the ServiceMonitor of the picker, and the PodMonitor of the engines of a service. Without them, the
   * picker's series need the labels job={name}-epp and namespace. Default true.
   */
  monitors?: boolean;
  /**
   * Whether to plan a ConfigMap with Grafana dashboards. Its label grafana_dashboard: "1" is the label that the sidecar
   * of the Helm charts grafana and kube-prometheus-stack reads by default. Default true.
   */
  dashboards?: boolean;
}

/** Service or pool of the objectives. */
export interface ObjectivesTargetArgs {
  /** Kind of the component. Default `InferenceService`. */
  kind?: ObjectivesTargetKind;
  /** Name of the service or pool, in the namespace of the objectives. */
  name: string;
}

/** Component whose picker reports the metrics. */
export const ObjectivesTargetKind = {
  /** Service with a router that has a dedicated picker. */
  InferenceService: "InferenceService",
  /** Pool with a dedicated picker. */
  LLMServerPool: "LLMServerPool",
  /** Pool with a dedicated picker that accepts any model. */
  InferencePool: "InferencePool",
} as const;
export type ObjectivesTargetKind = (typeof ObjectivesTargetKind)[keyof typeof ObjectivesTargetKind];

/** Objectives of a service. */
export interface ObjectivesArgs {
  /**
   * Share of requests without an error of the service: status 429 or 5xx of the picker, or an error status of a model
   * server. 0.94 to 0.99999. Default: no objective.
   */
  availability?: number;
  /** Time to the first token of streamed responses. Default: no objective. */
  firstToken?: LatencyObjectiveArgs;
  /** Average time between two tokens of a streamed response. Default: no objective. */
  perOutputToken?: LatencyObjectiveArgs;
}

/** Share of responses that are at least as fast as a limit. */
export interface LatencyObjectiveArgs {
  /**
   * Longest time that counts as good, in seconds. It is a bound of the metric's histogram; another value is refused
   * with the list of bounds.
   */
  seconds: number;
  /** Share of responses within that time, 0.94 to 0.99999. */
  share: number;
}

/** Labels and annotations of the planned alerts. */
export interface ObjectiveAlertsArgs {
  /** Labels of every alert, such as the team that Alertmanager routes it to. Default: none. */
  labels?: Record<string, string>;
  /** Annotations of every alert. Default: none. */
  annotations?: Record<string, string>;
  /**
   * URL of the runbooks. Annotation runbook_url is this URL with the alert's name as its fragment. Default: no
   * annotation.
   */
  runbookUrl?: string;
  /**
   * Number of ready endpoints below which an alert fires. With 0, for a service that scales to zero, it fires if the
   * pool has no ready endpoint while requests are queued. Default 1.
   */
  minReadyEndpoints?: number;
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

/** Pods that are recreated together with a failed pod of a ModelServing. */
export const RecoveryPolicy = {
  /**
   * The pod's serving group. Roles become LeaderWorkerSets, so if a group has several instances of a role, only the
   * pod's instance is recreated. The preview warns of this.
   */
  ServingGroupRecreate: "ServingGroupRecreate",
  /** The pod's instance of the role: the entry pod and all workers. */
  RoleRecreate: "RoleRecreate",
  /** No other pods. */
  None: "None",
} as const;
export type RecoveryPolicy = (typeof RecoveryPolicy)[keyof typeof RecoveryPolicy];

/** How an update replaces pods. */
export interface RolloutStrategyArgs {
  /** Unit that an update replaces one by one. Default `ServingGroupRollingUpdate`. */
  type?: RolloutStrategyType;
  /** Limits of ServingGroupRollingUpdate, in serving groups. Default: every group is updated. */
  rollingUpdateConfiguration?: ServingGroupRollingUpdateArgs;
}

/** Unit that an update replaces one by one. */
export const RolloutStrategyType = {
  /**
   * Serving groups. The first `partition` groups keep their pods. The LeaderWorkerSets of a group are updated
   * concurrently and ignore `maxUnavailable`; the preview warns of this.
   */
  ServingGroupRollingUpdate: "ServingGroupRollingUpdate",
  /** Instances of a role, within the role's `maxUnavailable` and `partition`. */
  RoleRollingUpdate: "RoleRollingUpdate",
} as const;
export type RolloutStrategyType = (typeof RolloutStrategyType)[keyof typeof RolloutStrategyType];

/** Limits of a rolling update, in serving groups. */
export interface ServingGroupRollingUpdateArgs {
  /** Number or percentage of groups or instances that may be unavailable during an update. Default 1. */
  maxUnavailable?: number | string;
  /** Number or percentage of groups or instances, counted from the first, that keep their old pods. Default 0. */
  partition?: number | string;
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
  maxUnavailable?: number | string;
  /** Number or percentage of groups or instances, counted from the first, that keep their old pods. Default 0. */
  partition?: number | string;
}

/** Pods of a serving group that start together. */
export interface GangPolicyArgs {
  /** Minimum number of instances per role that a serving group needs to start. Default: all instances of every role. */
  minRoleReplicas?: Record<string, number>;
}

/** Network topology of serving groups and roles, enforced by Volcano. */
export interface ServingNetworkTopologyArgs {
  /** Limit on the network distance between all pods of a serving group. Default: none. */
  groupPolicy?: NetworkTopologyArgs;
  /** Limit on the network distance between the pods of an instance of a role. Default: none. */
  rolePolicy?: NetworkTopologyArgs;
}

/** Arguments of InferenceControllers: the status controller and, optionally, the webhook for pod plugins. */
export interface InferenceControllersArgs {
  /**
   * Namespace, labels and annotations. The namespace must exist. Default: namespace `default`. The objects' names are
   * fixed.
   */
  metadata?: MetadataArgs;
  /** Pods of the status controller. One pod is the leader, and the other pods are on standby. Default 1. */
  replicas?: number;
  /**
   * Whether the controllers' pages require a bearer token with permission to read them. This needs ClusterRoles.
   * Default true.
   */
  metricsAuth?: boolean;
  /**
   * Whether the status controller deletes failing prefillers and decoders of services whose `resilience.recycle` allows
   * it. This grants it the right to delete such pods, and no others, in the whole cluster. The admission policy that
   * restricts the right needs Kubernetes 1.30 or later. Default false.
   */
  recyclesPods?: boolean;
  /** Peers that may open connections to the controllers. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
  /**
   * ServiceAccounts, such as the ServiceAccount of Prometheus, that may read the metrics of every program of this
   * project. Default none.
   */
  metricsReaders?: MetricsReaderArgs[];
  /**
   * ServiceAccounts, such as the ServiceAccount of an operator, that may read the debug pages of every program of this
   * project, as `pulumi-inference explain --request-id` does. The pages contain the ids, models and users of requests.
   * Default none.
   */
  debugReaders?: DebugReaderArgs[];
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
   * Runs pod plugins in the cluster: plugins of type Webhook, and plugins that run for each pod or when a pod is ready.
   * Default: no plugins run in the cluster.
   */
  podPlugins?: PodPluginRunnerArgs;
}

/** ServiceAccount that may read metrics. */
export interface MetricsReaderArgs {
  /** Name of the ServiceAccount. */
  name: string;
  /** Namespace of the ServiceAccount. */
  namespace: string;
}

/** ServiceAccount that may read debug pages. */
export interface DebugReaderArgs {
  /** Name of the ServiceAccount. */
  name: string;
  /** Namespace of the ServiceAccount. */
  namespace: string;
}

/**
 * Settings of the pod plugins that run in the cluster. The webhook's pods are scheduled like the status controller's
 * unless set here. The webhook has its own resources and disruption budget.
 */
export interface PodPluginRunnerArgs {
  /** Pods of the webhook. If none of them responds, pods with plugins are not created. Default 2. */
  replicas?: number;
  /**
   * Resources of the program's container. They replace the default as a whole. Default: requests of 250m CPU and 256Mi
   * of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
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
   * HTTPS URLs that plugins of type Webhook may call. A URL that ends in / allows all paths below it. Default: none.
   */
  webhookUrls?: string[];
  /** Modules in the image whose default export is a list of plugins. Default: none. */
  pluginModules?: string[];
  /**
   * ConfigMap with key `ca.crt`, in the namespace of the controllers. The webhook accepts only API servers that present
   * a certificate of these CAs. Default: any client that reaches the port is accepted.
   */
  clientCaConfigMap?: string;
  /**
   * Users that create the pods of LeaderWorkerSets; the pods of other users get no plugins. Default: Kubernetes'
   * StatefulSet controller, `system:serviceaccount:kube-system:statefulset-controller` and
   * `system:kube-controller-manager`.
   */
  podCreators?: string[];
}

/**
 * Arguments of an ImportedInferencePool: a route to a pool that another cluster exports. Its name and namespace equal
 * the pool's in the exporting cluster.
 */
export interface ImportedInferencePoolArgs {
  /** Name and namespace of the pool. Default: the resource's name, in namespace `default`. */
  metadata?: MetadataArgs;
  /**
   * Whether to create the namespace. The controller writes imports only to existing namespaces, and creates none
   * itself. Default false.
   */
  createNamespace?: boolean;
  /** Gateway that serves the route. */
  gateway?: ImportingGatewayArgs;
  /** Weight of the import: its share of the requests. Default 1. */
  weight?: number;
  /** InferencePool of the same name in this cluster, and its share of the requests. Default: none. */
  local?: LocalPoolArgs;
  /**
   * Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`, which do not support
   * imports. Default: none.
   */
  parents?: ImportedParentArgs[];
  /**
   * Alternative to `parents`: a program in this cluster reads the gateways from the import and updates the route when
   * they change. Default: none.
   */
  parentsAgent?: ParentsAgentArgs;
  /**
   * This project's picker for the import, with an InferencePool that gateways use as the backend. Gateways call this
   * picker, which calls the pickers of the exporting clusters. Default: none.
   */
  picker?: ImportPickerArgs;
  /** Peers that may open connections to the picker. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`. */
  globalPicker?: GlobalPickerArgs;
  /**
   * Namespace of the route. A ReferenceGrant is created if it differs from the pool's namespace. Default: the pool's
   * namespace.
   */
  routeNamespace?: string;
  /** Gateways that the route attaches to: name, and optionally namespace, sectionName and port. */
  parentRefs: ParentReference[];
  /** Host names. Default: the host names of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: pulumi.Input<HTTPRouteMatch>[];
  /** HTTPRoute filters. Default: none. */
  filters?: pulumi.Input<HTTPRouteFilter>[];
  /**
   * How to verify the pickers and pods of exporting clusters, if the gateway supports a BackendTLSPolicy for an import.
   * Default: no verification.
   */
  tls?: ImportTlsArgs;
}

/** Gateway of a route to an import. */
export interface ImportingGatewayArgs {
  /** Kind of gateway. Default `generic`. */
  type?: GatewayType;
  /** Whether the gateway supports an InferencePool and an InferencePoolImport in one rule. Default false. */
  acceptsImports?: boolean;
}

/** Type of the gateway that serves a route to an imported pool. */
export const GatewayType = {
  /** Any gateway, with standard Gateway API objects only. */
  Generic: "generic",
  /** Istio. It reaches other clusters through ServiceEntries. */
  Istio: "istio",
  /** GKE. Its fleet imports the pools of its clusters. */
  Gke: "gke",
  /** Envoy Gateway with Envoy AI Gateway. It sends requests to any endpoint that a picker returns. */
  EnvoyGateway: "envoy-gateway",
  /** agentgateway. It reaches other clusters through backends of its own kind. */
  Agentgateway: "agentgateway",
  /** NGINX Gateway Fabric. It reaches other clusters through ExternalName Services, in rules without a pool. */
  Ngf: "ngf",
  /** Any gateway that sends requests to any endpoint that a picker returns, with llm-d's global picker. */
  LlmDGlobalEpp: "llm-d-global-epp",
} as const;
export type GatewayType = (typeof GatewayType)[keyof typeof GatewayType];

/** Pool of the same name in this cluster. */
export interface LocalPoolArgs {
  /** Weight of the local pool: its share of the requests. Default 1. */
  weight?: number;
}

/** Gateway of a cluster that exports the pool. */
export interface ImportedParentArgs {
  /** Name of the cluster. It becomes part of object names. */
  cluster: string;
  /** Host name or address of that cluster's gateway. */
  host: pulumi.Input<string>;
  /** Port of that gateway. */
  port: number;
  /** Weight of the gateway: its share of the requests to the import. Default 1. */
  weight?: number;
  /** How to verify the gateway. Default: plain HTTP. */
  tls?: ParentTlsArgs;
}

/** How to verify a gateway of another cluster, with one CA. */
export interface ParentTlsArgs {
  /**
   * ConfigMap with key `ca.crt` and the CA of the gateway's certificate, in the pool's namespace. For `agentgateway`
   * and `ngf`.
   */
  caConfigMap?: string;
  /**
   * Secret with key `cacert`, in the namespace of this cluster's gateway. For `istio`, which does not read ConfigMaps.
   */
  caSecret?: string;
  /** Host name in the certificate. */
  hostname: string;
}

/**
 * Program that writes the route and its backends from the import. It follows changes of the other clusters' gateways,
 * and sends no requests to gateways that do not respond.
 */
export interface ParentsAgentArgs {
  /** How to verify the gateways. Default: plain HTTP. */
  tls?: ParentTlsArgs;
  /** Health check of the gateways. Default: the check passes if a connection opens. */
  probe?: ParentProbeArgs;
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
}

/** Health check of a gateway of another cluster: a request that the gateway forwards to its pool. */
export interface ParentProbeArgs {
  /** Path of the GET request. A gateway that responds with 404 or 5xx gets no requests. Default `/v1/models`. */
  path?: string;
  /** Host header of the request. Default: the gateway's address. */
  hostname?: string;
}

/** Picker that selects a cluster for each request, and asks that cluster's picker for the pod. */
export interface ImportPickerArgs {
  /** How a cluster is selected. Default `metric-based`. */
  selection?: ImportSelection;
  /**
   * Whether this cluster is preferred, avoided or neither. Default: PreferLocal; PreferOthers if `local` is set,
   * because its share of the requests stays in this cluster already.
   */
  preference?: ImportPreference;
  /**
   * Queued requests per endpoint of a cluster from which PreferLocal and PreferNearest no longer prefer the cluster.
   * The picker knows this number only if the export sets `metrics`. Default: 5.
   */
  spilloverQueueThreshold?: number;
  /** Failover order for active-passive. Unlisted clusters follow in order of their names. Default: order of names. */
  order?: string[];
  /**
   * Factors by cluster that multiply the cluster's probability in a random selection. A cluster with 0 gets requests
   * only if no other cluster can serve them. Default: 1 for each cluster.
   */
  weights?: Record<string, number>;
  /** Name of this cluster in the set. PreferLocal and PreferNearest match on it. Default: no cluster is local. */
  localCluster?: string;
  /** Region and zone of this cluster, for PreferNearest. Default: none. */
  locality?: LocalityArgs;
  /**
   * Health check of the gateways of clusters in ParentMode. Default: the check passes if a connection opens; it uses
   * TLS if the ImportedInferencePool sets `tls`.
   */
  parentProbe?: ParentProbeArgs;
  /** How to verify the pickers of other clusters. Default: with the system's certificate authorities. */
  tls?: ImportPickerTlsArgs;
  /** Whether to connect without TLS, for networks with their own encryption. Default false. */
  plaintext?: boolean;
  /** Pods of the picker. Default 1. */
  replicas?: number;
  /**
   * Whether the picker's pages require a bearer token with permission to read them. This needs a ClusterRole. Default
   * true.
   */
  metricsAuth?: boolean;
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
   * Time in seconds that running responses may take when a pod of the picker terminates, after 30 s in which it still
   * accepts requests. Default 600.
   */
  drainSeconds?: number;
}

/** How the cluster of a request is selected from the clusters that export a pool. */
export const ImportSelection = {
  /** At random, weighted by free capacity. */
  MetricBased: "metric-based",
  /** At random among the clusters whose picker responds. */
  HealthBased: "health-based",
  /** Always the first cluster whose picker responds. */
  ActivePassive: "active-passive",
} as const;
export type ImportSelection = (typeof ImportSelection)[keyof typeof ImportSelection];

/** Which clusters are preferred. */
export const ImportPreference = {
  /** The cluster of the picker, while it has endpoints with free capacity. */
  PreferLocal: "PreferLocal",
  /**
   * The cluster of the picker, then clusters of its zone, then of its region, then all others, each while it has
   * endpoints with free capacity.
   */
  PreferNearest: "PreferNearest",
  /** The other clusters, while one of them has endpoints. */
  PreferOthers: "PreferOthers",
  /** No cluster is preferred. */
  Any: "Any",
} as const;
export type ImportPreference = (typeof ImportPreference)[keyof typeof ImportPreference];

/** Region and zone of a cluster, with the same values as the labels of the ClusterSet's members. */
export interface LocalityArgs {
  /** Region. */
  region: string;
  /** Zone in the region. Default: none. */
  zone?: string;
}

/** How to verify the pickers of other clusters, and the client certificate that this picker presents to them. */
export interface ImportPickerTlsArgs {
  /** ConfigMap with key `ca.crt`, in the pool's namespace. Default: the system's certificate authorities. */
  caConfigMap?: string;
  /** Secret with tls.crt and tls.key of the client certificate that the picker presents. Default: none. */
  clientCertificateSecret?: string;
  /**
   * Issuer of that certificate, instead of an existing Secret: a cert-manager Certificate is created for this picker.
   * Default: none.
   */
  clientCertificateIssuer?: CertificateIssuerArgs;
  /**
   * Host name in their certificates, with `{cluster}` as the placeholder for the cluster's name. Default: the host name
   * of the picker's Service, or its address.
   */
  hostname?: string;
  /**
   * Whether to read the metrics of these pickers over TLS too, with the same verification and client certificate.
   * Metric-based selection needs the metrics. Default false.
   */
  metrics?: boolean;
}

/** llm-d's picker, which selects among clusters, with this project's import-agent as a sidecar. */
export interface GlobalPickerArgs {
  /** Pods of the picker. Default 1. */
  replicas?: number;
  /**
   * Resources of the program's container. They replace the default as a whole. Default: requests of 250m CPU and 256Mi
   * of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
  /** Image of the picker. Default: llm-d's image of the first release that selects among clusters. */
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
}

/** How to verify the other side. */
export interface ImportTlsArgs {
  /** ConfigMap with key `ca.crt`, in the pool's namespace, with the CA of the other side's certificate. */
  caConfigMap: string;
  /** Host name in the certificate. */
  hostname: string;
}

/** Arguments of a ClusterSet: clusters that export pools to each other, and the controller that writes the imports. */
export interface ClusterSetArgs {
  /**
   * Namespace, labels and annotations. The namespace must exist. Default: namespace `default`. The objects' names are
   * fixed.
   */
  metadata?: MetadataArgs;
  /** Clusters of the set: 1 to 100. */
  members: ClusterSetMemberRefArgs[];
  /**
   * Name under which the controller writes statuses, as `domain/path`. Two sets that share members need different
   * names. Default: this project's name.
   */
  controllerName?: string;
  /** Whether clusters that export a pool also import it. Default false. */
  importIntoExporters?: boolean;
  /**
   * Time that a member may be unreachable before its exports are withdrawn, such as `10m`. Default: exports are never
   * withdrawn.
   */
  staleAfter?: string;
  /** Time that an import is kept, without clusters, after its last export is withdrawn. Default `30s`. */
  importGracePeriod?: string;
  /**
   * Limits on the data that the controller accepts from each member's API server. Default: the limits in
   * docs/limits.md.
   */
  memberLimits?: MemberLimitsArgs;
  /** Pods of the controller. One pod is the leader, and the other pods are on standby. Default 1. */
  replicas?: number;
  /**
   * Whether the controller's pages require a bearer token with permission to read them. This needs a ClusterRole.
   * Default true.
   */
  metricsAuth?: boolean;
  /** Peers that may open connections to the controller. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
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
}

/** A cluster of a set, and the Secret with which the controller connects to it. */
export interface ClusterSetMemberRefArgs {
  /** Name of the cluster in imports: a DNS label. Renaming a member replaces it by a different cluster. */
  name: string;
  /** Secret in the controller's namespace that contains a kubeconfig. */
  kubeconfigSecret: pulumi.Input<string>;
  /** Key of the kubeconfig in the Secret. Default `kubeconfig`. */
  key?: string;
  /** Context in the kubeconfig. Default: its current context. */
  context?: string;
  /**
   * Pools that the member may export. Namespaces `kube-*` are never allowed. Default: all pools except those listed for
   * other members.
   */
  exports?: ExportGrantArgs[];
  /** Maximum number of pools that the member may export. Older pools take precedence. Default 100. */
  maxExports?: number;
  /**
   * CIDRs of the member's pods and gateways. Importing pickers send requests for this member only to these addresses.
   * Default: any address.
   */
  networks?: string[];
  /**
   * Maximum number of ready model servers per pool that importing pickers count for this member, even if its picker
   * reports more. Default 1,000.
   */
  maxEndpoints?: number;
  /**
   * Labels of the member. An export selects the members that import it by their labels (`exportTo`). Importing pickers
   * derive the distance to the member from `topology.kubernetes.io/region` and `topology.kubernetes.io/zone`. Default:
   * none.
   */
  labels?: Record<string, string>;
  /** UID of the member's namespace kube-system. Default: the first UID that the member reports. */
  uid?: string;
}

/** Pools that a member of a set may export. */
export interface ExportGrantArgs {
  /** Namespace, or a prefix of namespaces such as `ml-*`. */
  namespace: string;
  /** Pool names, or prefixes such as `llama-*`. Default: all pools. */
  pools?: string[];
}

/** Limits on the data that the controller of a set accepts from each member. Sizes are written as `32MiB`. */
export interface MemberLimitsArgs {
  /** Maximum size of a response from the member's API server, including one page of a list. Default 16MiB. */
  responseSize?: string;
  /** Maximum size of a watch event. Default 4MiB. */
  eventSize?: string;
  /** Maximum size of an object in the controller's memory. Default 64KiB. */
  objectSize?: string;
  /** Maximum number of pages of a list. Default 1,000. */
  pages?: number;
  /** Time limit for all pages of a list. Default 120s. */
  listTimeout?: string;
  /** Maximum number of InferencePools, and of imports. Default 2,000. */
  pools?: number;
  /** Maximum number of HTTPRoutes to InferencePools. Default 5,000. */
  routes?: number;
  /** Gateways. Default 1,000. */
  gateways?: number;
  /** Maximum number of objects of each other kind. Default 20,000. */
  objects?: number;
}

/** Arguments of a ClusterSetMember: the identity and permissions of a ClusterSet's controller in a member. */
export interface ClusterSetMemberArgs {
  /**
   * Namespace, labels and annotations. The namespace must exist. Default: namespace `default`. The objects' names are
   * fixed.
   */
  metadata?: MetadataArgs;
  /** Whether to create a Secret with a long-lived token, for a kubeconfig without an exec plugin. Default false. */
  token?: boolean;
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
  waitFor?: WaitFor;
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
  provider: pulumi.ProviderResource;
  /** Replicas in this cluster, by role. Default: the replicas set in the roles. */
  replicas?: Record<string, number>;
}

/**
 * Route of a cluster, with the fields of an ImportedInferencePool. `local` is the pool in the same cluster, and
 * `localCluster` of a picker is set to the name of that cluster. All clusters export their pools, so the ClusterSet
 * needs `importIntoExporters`.
 */
export interface MultiClusterRouteArgs {
  /** Gateway that serves the route. */
  gateway?: ImportingGatewayArgs;
  /** Weight of the import: its share of the requests. Default 1. */
  weight?: number;
  /** InferencePool of the same name in this cluster, and its share of the requests. Default: none. */
  local?: LocalPoolArgs;
  /**
   * Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`, which do not support
   * imports. Default: none.
   */
  parents?: ImportedParentArgs[];
  /**
   * Alternative to `parents`: a program in this cluster reads the gateways from the import and updates the route when
   * they change. Default: none.
   */
  parentsAgent?: ParentsAgentArgs;
  /**
   * This project's picker for the import, with an InferencePool that gateways use as the backend. Gateways call this
   * picker, which calls the pickers of the exporting clusters. Default: none.
   */
  picker?: ImportPickerArgs;
  /** Peers that may open connections to the picker. Default: only the peers that need to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`. */
  globalPicker?: GlobalPickerArgs;
  /**
   * Namespace of the route. A ReferenceGrant is created if it differs from the pool's namespace. Default: the pool's
   * namespace.
   */
  routeNamespace?: string;
  /** Gateways that the route attaches to: name, and optionally namespace, sectionName and port. */
  parentRefs: ParentReference[];
  /** Host names. Default: the host names of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: pulumi.Input<HTTPRouteMatch>[];
  /** HTTPRoute filters. Default: none. */
  filters?: pulumi.Input<HTTPRouteFilter>[];
  /**
   * How to verify the pickers and pods of exporting clusters, if the gateway supports a BackendTLSPolicy for an import.
   * Default: no verification.
   */
  tls?: ImportTlsArgs;
}

/**
 * Pod settings of a program that this project deploys: an endpoint picker, a controller or the webhook. The fields are
 * defined by Kubernetes.
 */
export interface ProgramPodsArgs {
  /**
   * Resources of the program's container. They replace the default as a whole. Default: requests of 250m CPU and 256Mi
   * of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
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
}
