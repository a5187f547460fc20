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
  waitFor?: WaitFor;
  /**
   * Whether the service has an object of its own kind in the cluster (`fusioninfer.io/v1alpha1`), on which the status
   * controller writes how every role is doing. Nothing is built from it by this project. Where FusionInfer's operator
   * runs, leave it out: that operator would build the service a second time. Where only its CRD is installed, set stack
   * configuration `pulumi-inference:statusSchema` to `fusioninfer`: what that schema does not have then goes into an
   * annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
}

/** What all objects of a component share. */
export interface MetadataArgs {
  /** Prefix of every object's name. Default: the name of the resource. Changing it replaces every object. */
  name?: string;
  /**
   * Namespace of the objects, such as `ns.metadata.name` of a Namespace of the program; it must exist. Changing it
   * replaces every object. Default `default`.
   */
  namespace?: pulumi.Input<string>;
  /**
   * Labels of every object. The prefixes `fusioninfer.io/` and `leaderworkerset.sigs.k8s.io/` are taken. Default none.
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

/** One part of a service: pods that run an inference engine, or the router before them; componentType tells which. */
export type RoleArgs = EngineRoleArgs | RouterRoleArgs;

/** Pods that run an inference engine. */
export interface EngineRoleArgs {
  /**
   * Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a
   * router routes requests to the other roles. Prefillers and decoders require each other.
   */
  componentType: EngineType;
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

/** Replicas of several pods. */
export interface MultinodeArgs {
  /** Pods of one replica, the leader included. 1 is the same as no multinode. */
  nodeCount: number;
  /**
   * How the pods of a replica form one engine. Default: sglang for SGLang; for vLLM mp from version 0.11.1 on, and ray
   * for older images and those for TPU, XPU and Ascend, by the image's tag. Required if the engine or its version is
   * not known.
   */
  executor?: Executor;
  /** Whether the pods of a replica must run on different nodes. Pods that fill a node do anyway. Default false. */
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

/** A plugin that customises pods. */
export interface PodPluginArgs {
  /** The name of a built-in plugin or of one of the program's own; that of a Webhook is any DNS label. */
  name: string;
  /**
   * Whether the plugin is code of this project or of the program, or an HTTPS endpoint where that is enabled. Default
   * `BuiltIn`.
   */
  type?: PodPluginType;
  /** Settings by the plugin's own schema; a Webhook is sent them as they are. */
  config?: pulumi.Inputs;
  /** The pods that the plugin sees. Default: all that run an engine. */
  scope?: PodPluginScopeArgs;
  /** A plugin of type Webhook: the address that is asked, and what becomes of pods while it does not answer. */
  webhook?: PodPluginWebhookArgs;
}

/** The place of a pod plugin's code. */
export const PodPluginType = {
  /** The code is in this project or in the program. */
  BuiltIn: "BuiltIn",
  /** The code is behind an HTTPS address. */
  Webhook: "Webhook",
} as const;
export type PodPluginType = (typeof PodPluginType)[keyof typeof PodPluginType];

/** The pods that a plugin sees. */
export interface PodPluginScopeArgs {
  /** Names of the roles whose pods the plugin sees; the list of a role has none. Default: all that run an engine. */
  roles?: string[];
  /** Whether the plugin sees leaders and single pods, the other pods of replicas, or both. Default `All`. */
  target?: PodPluginTarget;
}

/** Which pods of a replica a plugin sees. */
export const PodPluginTarget = {
  /** The leader, or the only pod. */
  Entry: "Entry",
  /** The other pods. */
  Worker: "Worker",
  /** All pods. */
  All: "All",
} as const;
export type PodPluginTarget = (typeof PodPluginTarget)[keyof typeof PodPluginTarget];

/** An endpoint that is called as pods are created or become ready. */
export interface PodPluginWebhookArgs {
  /**
   * The HTTPS address that takes hook requests; stack configuration pulumi-inference:podPluginUrls lists the allowed
   * ones.
   */
  url: string;
  /** When the endpoint is called. Default `OnPodCreate`. */
  hooks?: PodHook[];
  /** What becomes of a pod when the call fails. Default `Fail`. */
  failurePolicy?: PodPluginFailurePolicy;
  /** Seconds that one call may take, 1 to 10. Default 3. */
  timeoutSeconds?: number;
  /** PEM certificates that sign the endpoint's. Default: those of the system. */
  caBundle?: string;
}

/** When a pod plugin is called. */
export const PodHook = {
  /** Before a pod exists; what the plugin changes is in the pod from the start. */
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

/** The receiver of spans, and the share of the requests that are recorded. */
export interface TracingArgs {
  /** URL of an OTLP receiver that takes gRPC, such as an OpenTelemetry collector. */
  endpoint: string;
  /**
   * Share of the requests that are recorded, from 0 to 1, of those that come without a trace; others are recorded where
   * their trace is. Default 0.1.
   */
  sampleRatio?: number;
}

/** The accelerator on which a model runs. */
export const AcceleratorName = {
  /** P100 PCIe 16 GB. */
  P100Pcie16gb: "p100-pcie-16gb",
  /** V100 SXM2 16 GB. */
  V100Sxm16gb: "v100-sxm-16gb",
  /** V100 SXM2 32 GB. */
  V100Sxm32gb: "v100-sxm-32gb",
  /** T4. */
  T4: "t4",
  /** A100 SXM4 40 GB. */
  A100Sxm40gb: "a100-sxm-40gb",
  /** A100 SXM4 80 GB. */
  A100Sxm80gb: "a100-sxm-80gb",
  /** A100 PCIe 80 GB. */
  A100Pcie80gb: "a100-pcie-80gb",
  /** A30. */
  A30: "a30",
  /** A10. */
  A10: "a10",
  /** A10G. */
  A10g: "a10g",
  /** A40. */
  A40: "a40",
  /** RTX 3090. */
  Rtx3090: "rtx-3090",
  /** RTX A6000. */
  RtxA6000: "rtx-a6000",
  /** L4. */
  L4: "l4",
  /** L40. */
  L40: "l40",
  /** L40S. */
  L40s: "l40s",
  /** RTX 4090. */
  Rtx4090: "rtx-4090",
  /** RTX 6000 Ada. */
  Rtx6000Ada: "rtx-6000-ada",
  /** H100 SXM 80 GB. */
  H100Sxm: "h100-sxm",
  /** H100 PCIe 80 GB. */
  H100Pcie: "h100-pcie",
  /** H100 NVL 94 GB. */
  H100Nvl: "h100-nvl",
  /** H20 96 GB. */
  H20: "h20",
  /** H200 SXM 141 GB. */
  H200Sxm: "h200-sxm",
  /** GH200 96 GB. */
  Gh200: "gh200",
  /** B200 180 GB. */
  B200Sxm: "b200-sxm",
  /** GB200 186 GB. */
  Gb200: "gb200",
  /** B300 288 GB. */
  B300Sxm: "b300-sxm",
  /** GB300 288 GB. */
  Gb300: "gb300",
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
  /** MI300X. */
  Mi300x: "mi300x",
  /** MI325X. */
  Mi325x: "mi325x",
  /** MI350X. */
  Mi350x: "mi350x",
  /** MI355X. */
  Mi355x: "mi355x",
  /** Gaudi 2. */
  Gaudi2: "gaudi2",
  /** Gaudi 3. */
  Gaudi3: "gaudi3",
  /** TPU v5e. */
  TpuV5e: "tpu-v5e",
  /** TPU v5p. */
  TpuV5p: "tpu-v5p",
  /** TPU v6e. */
  TpuV6e: "tpu-v6e",
  /** Ascend 910B, 64 GB. */
  Ascend910b: "ascend-910b",
  /** CPU. */
  Cpu: "cpu",
} as const;
export type AcceleratorName = (typeof AcceleratorName)[keyof typeof AcceleratorName];

/** An engine and its settings. Every setting becomes the engine's own flag. */
export interface EngineSettingsArgs {
  /** The engine. */
  name: EngineKind;
  /** Version of the engine. Default: the newest that this library was tested with. */
  version?: string;
  /** Image of the engine. Default: the engine's image for the accelerator. */
  image?: pulumi.Input<string>;
  /** Longest context in tokens. Default: the model's own, or as much of it as fits on the chosen devices. */
  maxModelLen?: number;
  /** Most requests that run at the same time. Default: the engine's. */
  maxNumSeqs?: number;
  /** Share of a device's memory for weights and KV cache. Default: 0.9; for SGLang the share that it chooses itself. */
  memoryFraction?: number;
  /**
   * Devices that share each layer. Default: the fewest of a node that hold the model and one request of `maxModelLen`,
   * or of 16,384 tokens without it.
   */
  tensorParallel?: number;
  /** Groups of devices that share the layers. Default: one for each node. */
  pipelineParallel?: number;
  /** Copies of the attention layers of one engine, each on its own devices. Default 1. */
  dataParallel?: number;
  /** Whether each expert stays whole on one device. Default: if the experts cannot be divided. */
  expertParallel?: boolean;
  /** Data type of weights that are not quantized. auto is the model's own. Default `auto`. */
  dtype?: DataType;
  /** Quantization of a model in 16 bits while it loads. Default `auto`. */
  quantization?: Quantization;
  /** Data type of the KV cache. auto is that of the weights' computation. Default `auto`. */
  kvCacheDtype?: KvCacheDataType;
  /** LoRA adapters. Default: none. */
  lora?: LoraArgs;
  /** KV blocks in host memory and on disk. Not for prefillers and decoders. Default: none. */
  kvOffload?: KvOffloadArgs;
  /** Speculative decoding. Default: none. */
  speculative?: SpeculationArgs;
  /** Further arguments of the engine, behind the planned ones, which they override. Default none. */
  args?: string[];
  /** Environment variables of the engine. Default none. */
  env?: Record<string, pulumi.Input<string>>;
}

/** The program that runs a model. */
export const EngineKind = {
  /** vLLM. */
  Vllm: "vllm",
  /** SGLang. */
  Sglang: "sglang",
  /** TensorRT-LLM. */
  TensorRtLlm: "tensorrt-llm",
} as const;
export type EngineKind = (typeof EngineKind)[keyof typeof EngineKind];

/** Data type of a model that computes in 16 bits or more. */
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

/** Quantization of a model in 16 bits while it loads. */
export const Quantization = {
  /** None: the weights stay as the checkpoint has them. */
  Auto: "auto",
  /** FP8, with scales that the engine computes. */
  Fp8: "fp8",
} as const;
export type Quantization = (typeof Quantization)[keyof typeof Quantization];

/** Data type of the KV cache. */
export const KvCacheDataType = {
  /** The type in which the model computes. */
  Auto: "auto",
  /** FP8, which halves the cache. */
  Fp8: "fp8",
} as const;
export type KvCacheDataType = (typeof KvCacheDataType)[keyof typeof KvCacheDataType];

/** LoRA adapters of a model. */
export interface LoraArgs {
  /** Adapters that are loaded with the model. Default: none. */
  adapters?: AdapterArgs[];
  /** Largest rank of the adapters. Default 16. */
  maxRank?: number;
  /** Most adapters in one batch. Default: the number of listed adapters, at least 1. */
  maxLoaded?: number;
  /** Whether administrators may load further adapters at run time. Default false. */
  dynamic?: boolean;
  /**
   * Directory of the engine's container in which vLLM finds an adapter that a request names. It makes adapters dynamic.
   * Default: none.
   */
  directory?: string;
}

/** A LoRA adapter. */
export interface AdapterArgs {
  /** Name by which requests ask for the adapter. */
  name: string;
  /** Repository on Hugging Face, or a path that the engine's container has. */
  source: string;
}

/** KV blocks that are kept outside of the accelerators' memory. */
export interface KvOffloadArgs {
  /** Host memory of one replica for KV blocks that leave the accelerators, such as 200Gi. */
  cpu: string;
  /**
   * Volume for KV blocks that leave host memory. The engine deletes none of its files, so bound the volume and clean it
   * up. Default: none.
   */
  disk?: LastingVolumeArgs;
}

/** A volume that outlives pods: a claim or a directory of the nodes, not both. */
export interface LastingVolumeArgs {
  /** Name of a PersistentVolumeClaim, which the replicas of all roles share. */
  claim?: pulumi.Input<string>;
  /** Directory of the nodes, such as a local SSD. */
  hostPath?: string;
}

/** Speculative decoding. */
export interface SpeculationArgs {
  /** Source of the guessed tokens. */
  method: SpeculationMethod;
  /** Tokens that are guessed in one step. */
  tokens: number;
  /** Draft model on Hugging Face, which eagle3 needs. Default: none. */
  model?: string;
}

/** Source of the guessed tokens. */
export const SpeculationMethod = {
  /** The model's multi-token prediction layers. */
  Mtp: "mtp",
  /** A draft model. */
  Eagle3: "eagle3",
  /** Repetitions of the prompt. */
  Ngram: "ngram",
} as const;
export type SpeculationMethod = (typeof SpeculationMethod)[keyof typeof SpeculationMethod];

/**
 * Network devices of pods that exchange tensors or KV blocks with other pods: those of replicas over several nodes,
 * prefillers and decoders.
 */
export interface NetworkDevicesArgs {
  /** The kind of network. */
  kind: NetworkKind;
  /**
   * Resource by which a pod requests the devices. Default: `rdma/hca` for rdma, `vpc.amazonaws.com/efa` for efa; sriov
   * has none.
   */
  resource?: string;
  /**
   * Devices of one pod. Default: 1 for rdma, one for each network for sriov; efa has none, since instance types differ.
   */
  devices?: number;
  /** NetworkAttachmentDefinitions of a pod, one for each device. Only for sriov. */
  networks?: string[];
  /** Devices that NCCL, UCX and SGLang's transfer use, as mlx5_0. Default: they choose. Not for efa. */
  hcas?: string[];
  /** Index of the RoCE address of the devices. Default: NCCL and UCX choose. */
  gidIndex?: number;
  /** Interface by which NCCL and Gloo find the other pods, as eth0. Default: they choose. */
  socketInterface?: string;
}

/** The kind of network between the pods of a model. */
export const NetworkKind = {
  /** InfiniBand or RoCE, by a device plugin that shares the host's devices. */
  Rdma: "rdma",
  /** InfiniBand or RoCE, by virtual functions on networks of Multus. */
  SrIov: "sriov",
  /** Elastic Fabric Adapters of AWS. */
  Efa: "efa",
} as const;
export type NetworkKind = (typeof NetworkKind)[keyof typeof NetworkKind];

/** What stands before the engines: an endpoint picker, an InferencePool and, where asked for, a route. */
export interface RouterRoleArgs {
  /**
   * Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a
   * router routes requests to the other roles. Prefillers and decoders require each other.
   */
  componentType: "router";
  /**
   * The role's name: a DNS label, unique in the service. It is part of object names; changing it replaces the role's
   * objects.
   */
  name: string;
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
  /** Instances of the engine, or pods of a router's endpoint picker. 0 stops the role. Default 1. */
  replicas?: number;
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
   * Seconds for which running answers may go on when a pod of the picker ends, after 30 s in which it still takes
   * requests. Default 600.
   */
  drainSeconds?: number;
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

/** A port of a SharedEndpointPicker in the pool's namespace. */
export interface SharedPickerPortArgs {
  /** Name of the SharedEndpointPicker. */
  name: string;
  /** One of its ports, which no other pool has. */
  port: number;
}

/** Spec of the HTTPRoute (`gateway.networking.k8s.io/v1`) that leads to a service. */
export interface RouterHttpRouteArgs {
  /**
   * Gateways to attach to: name, and namespace, sectionName, port where needed. Default: the Gateway that the router
   * makes.
   */
  parentRefs?: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Matches, filters and timeouts of the rules. Their backendRefs are the service's pool. A rule without timeouts has
   * `request: 0s`, which disables the limit, if the gateway's type is one that cuts answers otherwise. Default: one
   * rule for the paths of clients' APIs.
   */
  rules?: HTTPRouteRule[];
}

/** The gateway of a router: its kind, and the spec of the Gateway (`gateway.networking.k8s.io/v1`) to create. */
export interface RouterGatewayArgs extends Partial<GatewaySpec> {
  /**
   * The kind of gateway, which may need objects of its own beside the pool. Default: as gatewayClassName tells, else
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
  /** kgateway. */
  Kgateway: "kgateway",
  /** agentgateway. */
  Agentgateway: "agentgateway",
  /** NGINX Gateway Fabric. */
  Ngf: "ngf",
} as const;
export type PoolGatewayType = (typeof PoolGatewayType)[keyof typeof PoolGatewayType];

/** A policy/v1 PodDisruptionBudgetSpec without its selector. `{ maxUnavailable: "100%" }` protects nothing. */
export interface DisruptionBudgetArgs {
  /** Pods that stay, as a number or a share such as 50%. Not beside maxUnavailable. */
  minAvailable?: pulumi.Inputs[string];
  /** Pods that may go, as a number or a share such as 50%. Default 1. */
  maxUnavailable?: pulumi.Inputs[string];
  /** Whether pods that do not work may always go. Default AlwaysAllow. */
  unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicy;
}

/** Whether a budget keeps pods that do not work. */
export const UnhealthyPodEvictionPolicy = {
  /** It keeps them while too few pods work. */
  IfHealthyBudget: "IfHealthyBudget",
  /** They may always be evicted. */
  AlwaysAllow: "AlwaysAllow",
} as const;
export type UnhealthyPodEvictionPolicy =
  (typeof UnhealthyPodEvictionPolicy)[keyof typeof UnhealthyPodEvictionPolicy];

/** How a picker treats requests whose body it cannot read. */
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
   * Whether requests that no model server has room for wait in the picker, in an order; else they wait at the model
   * servers. Default true.
   */
  enabled?: boolean;
  /**
   * Objective for the time between two tokens of an answer, in ms. A model server gets no more requests at once than it
   * answers at this pace; the others wait in the picker, by their priority. Default: none.
   */
  timeBetweenTokensMs?: number;
  /** Requests of a priority that may wait; more are answered with 429. Default 2000. */
  maxRequests?: number;
  /** Bytes of their bodies, which the picker holds. Default `256Mi`. */
  maxBytes?: string;
  /**
   * Seconds for which a request waits at most, until it is answered with 429. The gateway has to wait for longer.
   * Default 30; 4 behind kgateway, which waits for 5.
   */
  requestTimeoutSeconds?: number;
  /**
   * Longest time a request waits while the pool has no model server, in seconds, until it is answered with 503. Set it
   * to the time that a model server takes to start. The gateway has to wait for longer. Default 300; 299 behind Envoy
   * AI Gateway, 59 behind NGINX Gateway Fabric, 4 behind kgateway; 1 for an exported pool, whose importer then asks
   * another cluster.
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
 * An export of a pool to the other clusters of its set, whose controller makes an InferencePoolImport of it in each.
 */
export interface ExportArgs {
  /** How other clusters reach the pool. Default `EndpointMode`. */
  mode?: ExportMode;
  /**
   * The members of the cluster set that import the pool, as a label selector over their `labels` in the ClusterSet.
   * Default: all.
   */
  exportTo?: string;
  /** Whether the GKE fleet imports the pool too, as a GCPInferencePoolImport of its config cluster. Default false. */
  gkeFleet?: boolean;
  /** The type of the picker's Service. Default `ClusterIP`. */
  serviceType?: ExportServiceType;
  /** Annotations of that Service, such as a cloud's for internal load balancers. Default none. */
  serviceAnnotations?: Record<string, string>;
  /**
   * The Secret with tls.crt and tls.key that the picker serves with; importing clusters verify it. Default: a
   * self-signed certificate that the picker makes at start and none of them can verify.
   */
  certificateSecret?: string;
  /**
   * The issuer of that certificate, in place of a Secret that is there: a Certificate of cert-manager is made for the
   * picker's Service. Default: none.
   */
  certificateIssuer?: CertificateIssuerArgs;
  /**
   * The ConfigMap with key ca.crt: whoever asks the picker, gateways of its own cluster too, needs a certificate of
   * these certificate authorities. Default: nobody needs one.
   */
  clientCaConfigMap?: string;
  /** Networks, as CIDRs, from which other clusters reach the picker. Default: any. */
  allowedNetworks?: string[];
  /**
   * Whether other clusters reach the picker's metrics (9090) too, for importing pickers that choose by load; without it
   * they assume a mean load. Whoever reaches the picker may then read them: with a certificate of clientCaConfigMap,
   * else from allowedNetworks. Default false.
   */
  metrics?: boolean;
}

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
  /** For networks that route cluster addresses between clusters. */
  ClusterIP: "ClusterIP",
  /** For networks that do not. */
  LoadBalancer: "LoadBalancer",
} as const;
export type ExportServiceType = (typeof ExportServiceType)[keyof typeof ExportServiceType];

/** An issuer of cert-manager, which makes a certificate and renews it. */
export interface CertificateIssuerArgs {
  /** Name of the issuer. */
  name: string;
  /** `Issuer`, in the same namespace, `ClusterIssuer`, or another issuer's kind. Default `Issuer`. */
  kind?: string;
  /** Names that the certificate is for, beside that of the picker's Service. Default none. */
  dnsNames?: string[];
  /** API group of that kind. Default `cert-manager.io`. */
  group?: string;
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
  config?: Record<string, unknown>;
}

/** Source of a model's files. */
export const ModelSource = {
  /** The engine downloads them from Hugging Face. */
  HuggingFace: "huggingFace",
  /** An image that holds them, mounted as an image volume (Kubernetes 1.33 or later). */
  Oci: "oci",
  /** A PersistentVolumeClaim that holds them. */
  Pvc: "pvc",
  /** A bucket of S3, from which the engine streams them to the accelerators. */
  S3: "s3",
  /** A bucket of Google Cloud Storage, from which the engine streams them. */
  Gcs: "gcs",
} as const;
export type ModelSource = (typeof ModelSource)[keyof typeof ModelSource];

/** One value of a Secret. */
export interface SecretKeyArgs {
  /** Name of a Secret in the service's namespace. */
  secret: pulumi.Input<string>;
  /** Key of the Secret. Default `token`. */
  key?: string;
}

/** How many LeaderWorkerSets a role has. */
export const WorkloadMode = {
  /** One per replica for multi-node roles and for prefillers and decoders that work together, else one per role. */
  Auto: "auto",
  /** One per replica. */
  PerReplica: "perReplica",
  /** One per role, which autoscalers can scale and which updates replica by replica. */
  PerRole: "perRole",
} as const;
export type WorkloadMode = (typeof WorkloadMode)[keyof typeof WorkloadMode];

/** How the pods of a service are scheduled. */
export interface SchedulingStrategyArgs {
  /** Scheduler of all pods of every role. Default: volcano for roles in a gang, else the cluster's. */
  schedulerName?: string;
  /** Volcano queue of the gang. Default: Volcano's. */
  queue?: string;
  /** PriorityClass of the gang and of the pods. Default: the cluster's. */
  priorityClassName?: string;
  /** How the pods that need each other start. */
  gang?: GangArgs;
}

/** The gang of a service: multi-node roles, and prefillers with decoders, are in it. */
export interface GangArgs {
  /** Which pods start together or not at all. Default `subGroup`. */
  layout?: GangLayout;
  /** How near to one another the pods of a replica run. It needs layout subGroup. Default: any nodes. */
  networkTopology?: NetworkTopologyArgs;
}

/** Which pods start together. */
export const GangLayout = {
  /**
   * Each replica starts whole or not at all, and every gang role's minReplicas start together. It needs Volcano 1.14.1
   * or later.
   */
  SubGroup: "subGroup",
  /** Every replica of every gang role starts, or none does: the design's PodGroup to the letter. */
  Task: "task",
  /** Pods start one by one, without a PodGroup. */
  None: "none",
} as const;
export type GangLayout = (typeof GangLayout)[keyof typeof GangLayout];

/** How near to one another pods run, in tiers of Volcano's HyperNodes. */
export interface NetworkTopologyArgs {
  /** How strict the tier is. Default `hard`. */
  mode?: NetworkTopologyMode;
  /** Highest topology tier that the pods may span. Not together with highestTierName. */
  highestTierAllowed?: number;
  /** The same, by the tier's name. */
  highestTierName?: string;
}

/** How strict a network topology is. */
export const NetworkTopologyMode = {
  /** The pods wait for nodes within the tier. */
  Hard: "hard",
  /** The scheduler prefers nodes within the tier. */
  Soft: "soft",
} as const;
export type NetworkTopologyMode = (typeof NetworkTopologyMode)[keyof typeof NetworkTopologyMode];

/** A resource that counts accelerators. */
export interface AcceleratorArgs {
  /** Name of the resource, as containers have it in their limits. */
  resource: string;
  /**
   * Units of the resource that are one device, such as 100 for a percentage. Default: as known for the resource, else
   * 1.
   */
  perDevice?: number;
  /**
   * Ranks of an engine that run on one device, such as 2 for aws.amazon.com/neuron on Inferentia 2. Default: as known
   * for the resource, else 1.
   */
  ranksPerDevice?: number;
}

/**
 * Who may open connections to pods, as NetworkPolicies. They take effect where the cluster's network has one enforce
 * them, and never for pods on the host's network.
 */
export interface NetworkPolicyArgs {
  /** Whether NetworkPolicies are made. Default true. */
  enabled?: boolean;
  /**
   * Namespaces of the gateway's proxies. Default: those of the Gateways that the route names, where the kind of gateway
   * is known to run its proxies there, else any of the cluster.
   */
  gatewayNamespaces?: string[];
  /**
   * Namespaces from which metrics are read. Default: any of the cluster for programs, since they ask for a token; none
   * for engines.
   */
  scraperNamespaces?: string[];
  /**
   * Networks, as CIDRs, from which gateways or API servers come that are not pods: nodes, load balancers. Default:
   * none.
   */
  networks?: string[];
}

/** A model as clients name it, and what the model servers are asked for. */
export interface ModelArgs {
  /** What clients send as `model`. It is unique on a pool: the oldest LLMService has a name. */
  name: string;
  /**
   * The model's latency objective. Setting it makes the model Critical; requests for models without one are refused
   * first while the pool is full.
   */
  objective?: ObjectiveArgs;
  /** What model servers are asked for: models or LoRA adapters by weight. Default: one, the model's own name. */
  targetModels?: TargetModelArgs[];
}

/** The latency that a model should have. It is reported, and orders requests that wait; it is not enforced. */
export interface ObjectiveArgs {
  /** P95 over many requests of request latency divided by output tokens, such as 50ms. Default: none. */
  desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests?: string;
  /**
   * P95 over many streamed requests of the time until the first token, such as 500ms. Of requests that wait, those
   * whose time ends first go first. Default: none, and then the time of 100 output tokens orders them.
   */
  desiredTimeToFirstTokenAtP95OverMultipleRequests?: string;
}

/** A share of a model's requests. */
export interface TargetModelArgs {
  /** Model or LoRA adapter, as the model servers know it. */
  name: string;
  /**
   * Weight of the target, 0 to 1,000,000: its share is the weight divided by the sum of weights. All targets have one
   * or none has; without any all are alike. A model whose targets all have 0 is reserved: its requests are answered
   * with an error.
   */
  weight?: number;
}

/** What is done about pods that fail. */
export interface ResilienceArgs {
  /**
   * Lets the status controller delete failing prefillers and decoders, so that they are recreated. Needs `recyclesPods`
   * of InferenceControllers. Default: the picker avoids failing pods, and none is deleted.
   */
  recycle?: RecycleArgs;
}

/**
 * The status controller deletes pods whose prefills fail with every partner while other pods work, one at a time. Their
 * LeaderWorkerSet recreates them.
 */
export interface RecycleArgs {
  /** Pods of the service that are deleted in any hour, at most. Default 2. */
  podsPerHour?: number;
}

/** Which models become which. */
export interface RewriteRuleArgs {
  /**
   * Requests that the rule is for: those that one of the matches fits. Left out or empty: every model; rules that name
   * a model go first.
   */
  matches?: ModelMatchArgs[];
  /** Models that the servers are asked for, by weight: at least one. */
  targets: RewriteTargetArgs[];
}

/** Requests that a rule is for. */
export interface ModelMatchArgs {
  /** The model that a request asks for. */
  model: ModelNameMatchArgs;
}

/** The model that a request asks for. */
export interface ModelNameMatchArgs {
  /** How the model of a request is compared. Default `Exact`. */
  type?: string;
  /** The `model` of a request. */
  value: string;
}

/** A share of a rule's requests. */
export interface RewriteTargetArgs {
  /** The model that the servers are asked for. Rules are not chained. */
  modelRewrite: string;
  /**
   * Weight of the target, 1 to 1,000,000: its share is the weight divided by the sum of weights. All targets of a rule
   * have one, or none has.
   */
  weight?: number;
}

/** What creating and updating wait for: nothing, the service to work, or its own condition Available. */
export type WaitFor = boolean | "Available";

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
  allowedNamespaces?: Array<string | AllowedNamespaceArgs>;
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

/** The gateway in front of a pool. */
export interface PoolGatewayArgs {
  /** The kind of gateway, which may need objects of its own beside the pool. */
  type: PoolGatewayType;
}

/** The picker that chooses the model server of every request. */
export interface EndpointPickerArgs {
  /** Service of a picker that is deployed already; nothing else may be given then. */
  serviceRef?: EndpointPickerServiceArgs;
  /**
   * A SharedEndpointPicker that picks for this pool too, in place of a picker of its own; beside it there may be a
   * strategy or a configuration. Default: the pool has a picker of its own.
   */
  shared?: SharedPickerPortArgs;
  /** How a request finds its pod; pd-disaggregation needs an InferenceService. Default prefix-cache. */
  strategy?: RoutingStrategy;
  /** The picker's configuration as YAML text, in place of a strategy. */
  endpointPickerConfig?: string;
  /**
   * Whether the picker hears from the model servers which prefixes they have cached, in place of an estimate. They
   * publish by arguments of their own, which docs/prefix-cache.md lists. Default false.
   */
  kvEvents?: boolean;
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
  /** Pods of the picker. Default 1. */
  replicas?: number;
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
   * Seconds for which running answers may go on when a pod of the picker ends, after 30 s in which it still takes
   * requests. Default 600.
   */
  drainSeconds?: number;
  /**
   * Whether the picker follows every answer to its end, for metrics of answers. Answers then break with the picker.
   * Default false.
   */
  followResponses?: boolean;
  /** Seconds over which the latencies of LLMServices are compared with their objectives. Default 300. */
  objectiveWindowSeconds?: number;
  /** The receiver of spans, and the share of the requests that are recorded. Default: no spans are made. */
  tracing?: TracingArgs;
  /** Whether the picker's /metrics asks for a token that may read it, which needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
}

/** A Service in the pool's namespace. */
export interface EndpointPickerServiceArgs {
  /** The Service's name. */
  name: pulumi.Input<string>;
  /** Port of its ext-proc gRPC service. Default 9002. */
  port?: number;
}

/** A namespace that a pool admits. */
export interface AllowedNamespaceArgs {
  /** The namespace that its LLMServices are in. */
  namespace: string;
  /** Model names that they may register: names, or how they begin (`games-*`). Default: any that is not reserved. */
  models?: string[];
}

/** How LLMServices share a pool that cannot serve all at once. */
export interface FairnessArgs {
  /** How LLMServices share. Default `weighted`. */
  policy?: FairnessPolicy;
  /** What comes first: objectives or fair shares. Default `objectives-first`. */
  order?: FairnessOrder;
  /**
   * Header that names the tenant whose share a request takes, in place of its LLMService; `weights` may then name
   * tenants. The gateway has to set it, since clients can. Default: none.
   */
  byTenantHeader?: string;
  /**
   * Weights of LLMServices by `namespace/name`, 1 to 1,000; they count in place of what a service says. Default: the
   * `share` of each.
   */
  weights?: Record<string, number>;
}

/** How LLMServices that wait share a pool. */
export const FairnessPolicy = {
  /** By tokens of prompts and answers, in proportion to their weights. */
  Weighted: "weighted",
  /** In turns of one request, whatever its size. */
  RoundRobin: "round-robin",
  /** No fairness: requests of all LLMServices in order of arrival. */
  FirstCome: "first-come",
} as const;
export type FairnessPolicy = (typeof FairnessPolicy)[keyof typeof FairnessPolicy];

/** Whether objectives or fair shares come first where both cannot be had. */
export const FairnessOrder = {
  /** Requests for models with an objective go before all others; fairness holds among each. */
  ObjectivesFirst: "objectives-first",
  /** Models with an objective and models without have half of the pool each while both wait. */
  FairnessFirst: "fairness-first",
} as const;
export type FairnessOrder = (typeof FairnessOrder)[keyof typeof FairnessOrder];

/** The arguments of an InferencePool: pods that are there already, behind a picker that takes any model. */
export interface InferencePoolArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /** Labels of the model servers' pods. */
  selector: Record<string, string>;
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
}

/** The arguments of a SharedEndpointPicker. */
export interface SharedEndpointPickerArgs {
  /**
   * Name, labels and annotations, and the namespace, which is the pools'. Default: named like the resource, in
   * `default`.
   */
  metadata?: MetadataArgs;
  /**
   * Ports of the picker's Service for pools: each pool has one of its own, which its `endpointPicker.shared.port`
   * names. Default: 16 ports from 10000 on.
   */
  ports?: PoolPortsArgs;
  /** Pods of the picker. Each picks for every pool. Default 2. */
  replicas?: number;
  /**
   * Kind of the gateway in front, which may need an object of its own to ask the picker. Default: one that needs none.
   */
  gatewayType?: PoolGatewayType;
  /** Whether the picker's /metrics asks for a token that may read it, which needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Who may open connections to the picker. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
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
   * Seconds for which running answers may go on when a pod of the picker ends, after 30 s in which it still takes
   * requests. Default 600.
   */
  drainSeconds?: number;
  /**
   * Whether the picker follows every answer to its end, for metrics of answers. Answers then break with the picker.
   * Default false.
   */
  followResponses?: boolean;
  /** Seconds over which the latencies of LLMServices are compared with their objectives. Default 300. */
  objectiveWindowSeconds?: number;
  /** The receiver of spans, and the share of the requests that are recorded. Default: no spans are made. */
  tracing?: TracingArgs;
}

/** Ports of a shared picker's Service, one for each pool. */
export interface PoolPortsArgs {
  /** The first port. Default 10000. */
  first?: number;
  /** How many ports follow each other, 1 to 1000. Default 16. */
  count?: number;
}

/** The arguments of an LLMService. Model names, targets and weights are plain; the pools may be Outputs. */
export interface LLMServiceArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /**
   * Weight of the service's requests beside those of others while a pool cannot serve all at once, 1 to 1,000; weights
   * of the pool count in its place. Default 1.
   */
  share?: number;
  /** The models: at least one, each name once. */
  models: ModelArgs[];
  /** Pools that serve the models, also of other stacks. */
  poolRef: PoolReferenceArgs[];
}

/** A pool that an LLMService uses. */
export interface PoolReferenceArgs {
  /** The API version of the pool; it is not read. Default: none. */
  apiVersion?: string;
  /** The kind of the pool. Default `LLMServerPool`. */
  kind?: PoolKind;
  /** The pool's namespace. A pool admits other namespaces by allowedNamespaces. Default: that of the LLMService. */
  namespace?: pulumi.Input<string>;
  /** The pool's name. */
  name: pulumi.Input<string | undefined>;
}

/** Kind of a pool reference. Both kinds refer to the InferencePool of that name. */
export const PoolKind = {
  /** A pool that LLMServices register on. */
  LLMServerPool: "LLMServerPool",
  /** A pool that takes any model, where registered names have targets and objectives. */
  InferencePool: "InferencePool",
} as const;
export type PoolKind = (typeof PoolKind)[keyof typeof PoolKind];

/** The arguments of an InferenceModelRewrite. */
export interface InferenceModelRewriteArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /** The pool, in the same namespace. */
  poolRef: InferencePoolReferenceArgs;
  /** The rules; the first that matches a request is used. */
  rules: RewriteRuleArgs[];
  /**
   * Version that the cluster serves. `discoverRewriteVersion` asks the cluster. Default: stack configuration
   * `pulumi-inference:rewriteVersion`, else `llm-d.ai/v1alpha2`.
   */
  version?: RewriteVersion;
}

/** The pool, in the same namespace. */
export interface InferencePoolReferenceArgs {
  /** The API group of the pool. Default `inference.networking.k8s.io`. */
  group?: string;
  /** The kind of the pool. Default `InferencePool`. */
  kind?: string;
  /** The pool's name. */
  name: pulumi.Input<string | undefined>;
}

/** Versions of InferenceModelRewrite that clusters serve. */
export const RewriteVersion = {
  /** That of the endpoint picker's own project, llm-d. */
  LlmD: "llm-d.ai/v1alpha2",
  /** That of the Gateway API inference extension. */
  GatewayApi: "inference.networking.x-k8s.io/v1alpha2",
  /** That of the proposal, whose targets are called `split`. */
  Proposal: "inference.networking.x-k8s.io/v1alpha1",
} as const;
export type RewriteVersion = (typeof RewriteVersion)[keyof typeof RewriteVersion];

/** The arguments of an InferenceObjective. */
export interface InferenceObjectiveArgs {
  /**
   * Name, namespace, labels and annotations; requests name it in a header. Default: named like the resource, in
   * `default`.
   */
  metadata?: MetadataArgs;
  /** The pool, in the same namespace. */
  poolRef: InferencePoolReferenceArgs;
  /**
   * Requests of a higher priority go first; those of a negative one are refused first while the pool is full. Default
   * 0.
   */
  priority?: number;
}

/** The arguments of an InferenceRoute. */
export interface InferenceRouteArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /** Gateways to attach to: name, and namespace, sectionName, port where needed. */
  parentRefs: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /**
   * The gateways that parentRefs names: their kind decides whether rules need timeouts. Default: any, for which no
   * timeouts are set.
   */
  gateway?: PoolGatewayArgs;
  /** The rules: 1 to 16. */
  rules: InferenceRouteRuleArgs[];
  /**
   * Whether the route comes with a ReferenceGrant in each other namespace that its pools are in, which whoever deploys
   * the route needs the right to make; a namespace that is not known at preview gets none. Default false: the pools'
   * owners make them.
   */
  referenceGrants?: boolean;
}

/** Which requests go to which pools. */
export interface InferenceRouteRuleArgs {
  /**
   * Only requests for this model. It becomes a match on the header X-Gateway-Model-Name, which a ModelRouter in front
   * of the Gateway sets: an HTTPRoute cannot read bodies. Default: any.
   */
  model?: string;
  /**
   * Only requests for this model and for every model that LLMServices and rewrites have on the rule's pools: one rule
   * for thousands of names. It becomes a match on the header X-Gateway-Base-Model-Name, which a ModelRouter sets.
   * Default: any.
   */
  baseModel?: string;
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: pulumi.Input<HTTPRouteMatch>[];
  /** HTTPRoute filters. Default: none. */
  filters?: pulumi.Input<HTTPRouteFilter>[];
  /**
   * HTTPRoute timeouts. Default: `request: 0s`, which disables the limit, if `gateway.type` is one that cuts answers
   * otherwise; else the gateway's.
   */
  timeouts?: pulumi.Input<HTTPRouteTimeouts>;
  /** The pools that requests go to, by weight: 1 to 16. */
  pools: RoutePoolArgs[];
}

/** A pool's share of a rule's requests. */
export interface RoutePoolArgs {
  /** The name of the InferencePool: `poolName` of a pool or an InferenceService. */
  name: pulumi.Input<string | undefined>;
  /**
   * The pool's namespace. A pool elsewhere needs a ReferenceGrant there, which `referenceGrants` makes. Default: the
   * route's.
   */
  namespace?: pulumi.Input<string>;
  /** Port of the pool. Default: its first. */
  port?: number;
  /**
   * Weight of the pool, 0 to 1,000,000: its share is the weight divided by the sum of the rule's weights. 0 sends none.
   * Default 1.
   */
  weight?: number;
}

/** The arguments of a ModelRouter. */
export interface ModelRouterArgs {
  /**
   * Name, labels, annotations and namespace. The namespace must be the namespace of the Gateway. Default: named like
   * the resource, in `default`.
   */
  metadata?: MetadataArgs;
  /** The Gateway that the model router is in front of. */
  gateway: ModelRouterGatewayArgs;
  /** Pods of the model router. While none answers, the gateway refuses every request. Default 2. */
  replicas?: number;
  /** Whether its pages ask for a token that may read them. Default true. */
  metricsAuth?: boolean;
  /** Who may open connections to the model router. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
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
}

/** The Gateway that the model router is in front of. */
export interface ModelRouterGatewayArgs {
  /** Name of the Gateway, in the namespace of the model router. Routes of others do not count. */
  name: string;
  /**
   * Kind of the gateway, which decides the object by which it asks the model router: `envoy-gateway`, `istio`,
   * `agentgateway` and `gke` have one. Any other is to be told by hand: ext_proc, with request bodies in full duplex,
   * at port 9002 of the Service. Default generic.
   */
  type?: PoolGatewayType;
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

/** Pods that are recreated together with a failed pod of a ModelServing. */
export const RecoveryPolicy = {
  /**
   * Its serving group. Roles are LeaderWorkerSets here, so that with several instances in a group only the pod's
   * instance is recreated; the preview warns of it.
   */
  ServingGroupRecreate: "ServingGroupRecreate",
  /** Its instance of the role: the entry pod and all workers. */
  RoleRecreate: "RoleRecreate",
  /** Nothing. */
  None: "None",
} as const;
export type RecoveryPolicy = (typeof RecoveryPolicy)[keyof typeof RecoveryPolicy];

/** How an update replaces pods. */
export interface RolloutStrategyArgs {
  /** What an update replaces one by one. Default `ServingGroupRollingUpdate`. */
  type?: RolloutStrategyType;
  /** Limits of ServingGroupRollingUpdate, in serving groups. Default: every group is updated. */
  rollingUpdateConfiguration?: ServingGroupRollingUpdateArgs;
}

/** What an update replaces one by one. */
export const RolloutStrategyType = {
  /**
   * Serving groups. `partition` keeps the first of them; their LeaderWorkerSets are updated concurrently, whatever
   * `maxUnavailable` is, of which the preview warns.
   */
  ServingGroupRollingUpdate: "ServingGroupRollingUpdate",
  /** Instances of a role, by `maxUnavailable` and `partition` of the role. */
  RoleRollingUpdate: "RoleRollingUpdate",
} as const;
export type RolloutStrategyType = (typeof RolloutStrategyType)[keyof typeof RolloutStrategyType];

/** How many serving groups are updated. */
export interface ServingGroupRollingUpdateArgs {
  /** Number or percentage that may be unavailable during an update. Default 1. */
  maxUnavailable?: number | string;
  /** Number or percentage, from the first on, that keeps its old pods. Default 0. */
  partition?: number | string;
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
  maxUnavailable?: number | string;
  /** Number or percentage, from the first on, that keeps its old pods. Default 0. */
  partition?: number | string;
}

/** What of a serving group starts together. */
export interface GangPolicyArgs {
  /** Instances by role that a serving group needs to start. Default: all of every role. */
  minRoleReplicas?: Record<string, number>;
}

/** Network topology of serving groups and roles, by Volcano. */
export interface ServingNetworkTopologyArgs {
  /** How near to one another all pods of a serving group run. Default: any. */
  groupPolicy?: NetworkTopologyArgs;
  /** How near to one another the pods of an instance of a role run. Default: any. */
  rolePolicy?: NetworkTopologyArgs;
}

/** The arguments of InferenceControllers. */
export interface InferenceControllersArgs {
  /** Namespace, labels and annotations. The namespace must exist; default `default`. The names are fixed. */
  metadata?: MetadataArgs;
  /** Pods of the status controller; one leads, the others stand by. Default 1. */
  replicas?: number;
  /**
   * Whether the pages of the controllers ask for a token that may read them, which needs ClusterRoles. Default true.
   */
  metricsAuth?: boolean;
  /**
   * Whether the status controller deletes prefillers and decoders that fail, of services whose `resilience.recycle`
   * allows it. It may then delete such pods, and no others, in the whole cluster; the policy that says so needs
   * Kubernetes 1.30 or later. Default false.
   */
  recyclesPods?: boolean;
  /** Who may open connections to the controllers. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
  /**
   * ServiceAccounts, such as that of a Prometheus, that may read the metrics of every program of this project. Default
   * none.
   */
  metricsReaders?: MetricsReaderArgs[];
  /**
   * ServiceAccounts, such as that of an operator, that may read the debug pages of every program of this project, as
   * `pulumi-inference explain --request-id` does. They tell ids, models and users of requests. Default none.
   */
  debugReaders?: DebugReaderArgs[];
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
   * Runs pod plugins in the cluster: Webhooks, and those that run on each pod or when it is ready. Default: none run.
   */
  podPlugins?: PodPluginRunnerArgs;
}

/** A ServiceAccount that may read metrics. */
export interface MetricsReaderArgs {
  /** Name of the ServiceAccount. */
  name: string;
  /** Namespace of the ServiceAccount. */
  namespace: string;
}

/** A ServiceAccount that may read debug pages. */
export interface DebugReaderArgs {
  /** Name of the ServiceAccount. */
  name: string;
  /** Namespace of the ServiceAccount. */
  namespace: string;
}

/**
 * What pod plugins that run in the cluster are run with. The webhook's pods are placed as those of the status
 * controller unless something else is said here; resources and disruption budget are its own.
 */
export interface PodPluginRunnerArgs {
  /** Pods of the webhook; pods with plugins wait while none of them answers. Default 2. */
  replicas?: number;
  /**
   * Resources of the program's container; what is given takes the place of the default as a whole. Default: requests of
   * 250m CPU and 256Mi of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
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
   * HTTPS URLs that plugins of type Webhook may call; one that ends in / stands for all below it. Default: none may be
   * called.
   */
  webhookUrls?: string[];
  /** Modules of the image whose default export is a list of plugins. Default: none. */
  pluginModules?: string[];
  /**
   * ConfigMap with key `ca.crt`, in the namespace of the controllers: API servers show a certificate of these CAs, and
   * nobody else is answered. Default: whoever reaches the port is answered.
   */
  clientCaConfigMap?: string;
  /**
   * Users that make the pods of LeaderWorkerSets; pods of others get no plugins. Default: Kubernetes' controller of
   * StatefulSets, `system:serviceaccount:kube-system:statefulset-controller` and `system:kube-controller-manager`.
   */
  podCreators?: string[];
}

/** The arguments of an ImportedInferencePool. Its name and namespace must match the pool in the exporting cluster. */
export interface ImportedInferencePoolArgs {
  /** Name and namespace of the pool. Default: named like the resource, in `default`. */
  metadata?: MetadataArgs;
  /**
   * Creates the namespace. Imports are only written to namespaces that exist, and the controller makes none. Default
   * false.
   */
  createNamespace?: boolean;
  /** The gateway that the route is for. */
  gateway?: ImportingGatewayArgs;
  /** The share of the requests that go to the import. Default 1. */
  weight?: number;
  /** The share that stays: the InferencePool of the same name in this cluster. Default: there is none. */
  local?: LocalPoolArgs;
  /**
   * Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`, which cannot take an
   * import. Default: none.
   */
  parents?: ImportedParentArgs[];
  /**
   * In place of `parents`: these are the gateways that the import names, and the route is written by a program here as
   * they change. Default: none.
   */
  parentsAgent?: ParentsAgentArgs;
  /**
   * A picker of this project for the import, and an InferencePool by which gateways find it: they ask it, and it asks
   * the pickers of the exporting clusters. Default: none.
   */
  picker?: ImportPickerArgs;
  /** Who may open connections to the picker. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`. */
  globalPicker?: GlobalPickerArgs;
  /** Namespace of the route; one that is not the pool's gets a ReferenceGrant. Default: that of the pool. */
  routeNamespace?: string;
  /** Gateways to attach to: name, and namespace, sectionName, port where needed. */
  parentRefs: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: pulumi.Input<HTTPRouteMatch>[];
  /** HTTPRoute filters. Default: none. */
  filters?: pulumi.Input<HTTPRouteFilter>[];
  /**
   * Verifies pickers and pods of exporting clusters, where the gateway takes a BackendTLSPolicy for an import. Default:
   * nothing is verified.
   */
  tls?: ImportTlsArgs;
}

/** What a gateway can do with an import. */
export interface ImportingGatewayArgs {
  /** The kind of gateway. Default `generic`. */
  type?: GatewayType;
  /** Whether the gateway can have an InferencePool and an InferencePoolImport in one rule. Default false. */
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

/** The pool of the same name in this cluster. */
export interface LocalPoolArgs {
  /** The share of the requests that stay. Default 1. */
  weight?: number;
}

/** A gateway of a cluster that exports the pool. */
export interface ImportedParentArgs {
  /** The cluster's name, which is part of object names. */
  cluster: string;
  /** Host name or address of the gateway of that cluster. */
  host: pulumi.Input<string>;
  /** Port of that gateway. */
  port: number;
  /** The gateway's share of the requests to the import. Default 1. */
  weight?: number;
  /** How the gateway is verified. Default: plain HTTP. */
  tls?: ParentTlsArgs;
}

/** How a gateway of another cluster is verified: by one CA. */
export interface ParentTlsArgs {
  /**
   * ConfigMap with key `ca.crt` that the gateway's certificate chains to, in the pool's namespace: for `agentgateway`
   * and `ngf`.
   */
  caConfigMap?: string;
  /** Secret with key `cacert`, in the namespace of the gateway here: for `istio`, which reads no ConfigMap. */
  caSecret?: string;
  /** The name that the certificate is for. */
  hostname: string;
}

/**
 * A program that writes the route and its backends from the import: gateways of other clusters come and go with it, and
 * those that do not answer get no requests.
 */
export interface ParentsAgentArgs {
  /** How the gateways are verified. Default: plain HTTP. */
  tls?: ParentTlsArgs;
  /** A request by which the gateways are looked at. Default: a connection is enough. */
  probe?: ParentProbeArgs;
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
}

/** A request that a gateway of another cluster passes on to the pool there. */
export interface ParentProbeArgs {
  /** Path of a GET; a gateway that answers 404 or 5xx gets no requests. Default `/v1/models`. */
  path?: string;
  /** Host of the request. Default: the gateway's address. */
  hostname?: string;
}

/** A picker that chooses a cluster for every request, and asks the picker there for the pod. */
export interface ImportPickerArgs {
  /** How a cluster is chosen. Default `metric-based`. */
  selection?: ImportSelection;
  /**
   * Whether this cluster comes first, last or neither. Default: PreferLocal; PreferOthers beside `local`, whose share
   * has stayed here already.
   */
  preference?: ImportPreference;
  /**
   * Requests that wait in a cluster for each of its endpoints, from which PreferLocal and PreferNearest prefer it no
   * more. Known where the export has `metrics`. Default: 5.
   */
  spilloverQueueThreshold?: number;
  /** Failover order for active-passive; unlisted clusters follow by name. Default: by name. */
  order?: string[];
  /**
   * By cluster, what its chance in a selection at random is multiplied by; 0 for one that gets requests only where no
   * other can. Default: 1 for each.
   */
  weights?: Record<string, number>;
  /**
   * Name of this cluster among those of the set, by which PreferLocal and PreferNearest know it. Default: none comes
   * first.
   */
  localCluster?: string;
  /** The place of this cluster, for PreferNearest. Default: none. */
  locality?: LocalityArgs;
  /**
   * A request by which gateways of clusters in ParentMode are looked at. Default: a connection is enough; over TLS with
   * `tls` of the ImportedInferencePool.
   */
  parentProbe?: ParentProbeArgs;
  /** How the pickers of other clusters are verified. Default: by the certificate authorities of the system. */
  tls?: ImportPickerTlsArgs;
  /** Whether there is no TLS, for networks that encrypt by themselves. Default false. */
  plaintext?: boolean;
  /** Pods of the picker. Default 1. */
  replicas?: number;
  /** Whether the picker's pages ask for a token that may read them, which needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
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
   * Seconds for which running answers may go on when a pod of the picker ends, after 30 s in which it still takes
   * requests. Default 600.
   */
  drainSeconds?: number;
}

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
  /** The cluster of the picker, while it has endpoints with room. */
  PreferLocal: "PreferLocal",
  /**
   * The cluster of the picker, then clusters of its zone, of its region and all others, each while it has endpoints
   * with room.
   */
  PreferNearest: "PreferNearest",
  /** All others, while one of them has endpoints. */
  PreferOthers: "PreferOthers",
  /** None. */
  Any: "Any",
} as const;
export type ImportPreference = (typeof ImportPreference)[keyof typeof ImportPreference];

/** The place of a cluster, in the words of the labels of the ClusterSet's members. */
export interface LocalityArgs {
  /** The region. */
  region: string;
  /** The zone in it. Default: none. */
  zone?: string;
}

/** How pickers of other clusters are verified, and what they are shown. */
export interface ImportPickerTlsArgs {
  /** ConfigMap with key `ca.crt`, in the pool's namespace. Default: the certificate authorities of the system. */
  caConfigMap?: string;
  /** Secret with tls.crt and tls.key that the other side is shown. Default: none. */
  clientCertificateSecret?: string;
  /**
   * The issuer of that certificate, in place of a Secret that is there: a Certificate of cert-manager is made for this
   * picker. Default: none.
   */
  clientCertificateIssuer?: CertificateIssuerArgs;
  /**
   * The name that their certificates are for, `{cluster}` in it for the cluster's name. Default: that of the picker's
   * Service, or its address.
   */
  hostname?: string;
  /**
   * Whether their metrics, by which metric-based chooses, are read over TLS as well, verified and shown alike. Default
   * false.
   */
  metrics?: boolean;
}

/** llm-d's picker as one among clusters, with this project's import-agent beside it. */
export interface GlobalPickerArgs {
  /** Pods of the picker. Default 1. */
  replicas?: number;
  /**
   * Resources of the program's container; what is given takes the place of the default as a whole. Default: requests of
   * 250m CPU and 256Mi of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
  /** The picker's image. Default: llm-d's, of the first release that picks among clusters. */
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
}

/** How the other side is verified. */
export interface ImportTlsArgs {
  /** ConfigMap with key `ca.crt`, in the pool's namespace, that the other side's certificate chains to. */
  caConfigMap: string;
  /** The name that the certificate is for. */
  hostname: string;
}

/** The arguments of a ClusterSet. */
export interface ClusterSetArgs {
  /** Namespace, labels and annotations. The namespace must exist; default `default`. The names are fixed. */
  metadata?: MetadataArgs;
  /** The clusters of the set: at least one. */
  members: ClusterSetMemberRefArgs[];
  /**
   * The name under which statuses are written, `domain/path`. Two sets with members in common need two. Default: this
   * project's.
   */
  controllerName?: string;
  /** Whether clusters that export a pool import it as well. Default false. */
  importIntoExporters?: boolean;
  /** How long a member may be silent before its exports are withdrawn, such as `10m`. Default: they never are. */
  staleAfter?: string;
  /** How long an import is kept, without clusters, after its last export is withdrawn. Default `30s`. */
  importGracePeriod?: string;
  /** What the controller takes of each member's API server. Default: what docs/limits.md says. */
  memberLimits?: MemberLimitsArgs;
  /** Pods of the controller; one leads, the others stand by. Default 1. */
  replicas?: number;
  /** Whether the controller's pages ask for a token that may read them, which needs a ClusterRole. Default true. */
  metricsAuth?: boolean;
  /** Who may open connections to the controller. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
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
}

/** A cluster of a set, and the Secret by which the controller reaches it. */
export interface ClusterSetMemberRefArgs {
  /** How imports name the cluster: a DNS label. Another name is another cluster. */
  name: string;
  /** The Secret beside the controller that holds a kubeconfig. */
  kubeconfigSecret: pulumi.Input<string>;
  /** Key of the Secret. Default `kubeconfig`. */
  key?: string;
  /** Context of the kubeconfig. Default: its current one. */
  context?: string;
  /**
   * Pools that the member may export, never in namespaces `kube-*`. Default: any but those in the lists of other
   * members.
   */
  exports?: ExportGrantArgs[];
  /** The most pools that the member exports, the oldest first. Default 100. */
  maxExports?: number;
  /**
   * CIDRs of the member's pods and gateways: importing pickers send requests nowhere else because of it. Default:
   * anywhere.
   */
  networks?: string[];
  /** The most model servers of a pool that the member's picker is believed to have. Default 1,000. */
  maxEndpoints?: number;
  /**
   * Labels of the member, by which exports choose who imports them (`exportTo`). `topology.kubernetes.io/region` and
   * `topology.kubernetes.io/zone` tell importing pickers how near it is. Default: none.
   */
  labels?: Record<string, string>;
  /** Uid of the member's namespace kube-system. Default: the one that it says first. */
  uid?: string;
}

/** Pools that a member of a set may export. */
export interface ExportGrantArgs {
  /** A namespace, or how namespaces begin: `ml-*`. */
  namespace: string;
  /** Names of pools, or how they begin: `llama-*`. Default: all. */
  pools?: string[];
}

/** What the controller of a set takes of each member; sizes such as `32MiB`. */
export interface MemberLimitsArgs {
  /** Size of an answer of its API server, a page of a list among them. Default 16MiB. */
  responseSize?: string;
  /** Size of an event of a watch. Default 4MiB. */
  eventSize?: string;
  /** Size of what is kept of an object. Default 64KiB. */
  objectSize?: string;
  /** Pages of a list. Default 1,000. */
  pages?: number;
  /** Time of all pages of a list. Default 120s. */
  listTimeout?: string;
  /** InferencePools and imports, of each kind. Default 2,000. */
  pools?: number;
  /** HTTPRoutes to InferencePools. Default 5,000. */
  routes?: number;
  /** Gateways. Default 1,000. */
  gateways?: number;
  /** Objects of each other kind. Default 20,000. */
  objects?: number;
}

/** The arguments of a ClusterSetMember. */
export interface ClusterSetMemberArgs {
  /** Namespace, labels and annotations. The namespace must exist; default `default`. The names are fixed. */
  metadata?: MetadataArgs;
  /** Whether a Secret with a lasting token is made, for a kubeconfig without an exec plugin. Default false. */
  token?: boolean;
}

/**
 * The arguments of a MultiClusterInferenceService: the arguments of an InferenceService, and the clusters in which it
 * runs.
 */
export interface MultiClusterInferenceServiceArgs {
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
  waitFor?: WaitFor;
  /**
   * Whether the service has an object of its own kind in the cluster (`fusioninfer.io/v1alpha1`), on which the status
   * controller writes how every role is doing. Nothing is built from it by this project. Where FusionInfer's operator
   * runs, leave it out: that operator would build the service a second time. Where only its CRD is installed, set stack
   * configuration `pulumi-inference:statusSchema` to `fusioninfer`: what that schema does not have then goes into an
   * annotation. Default: true with `waitFor: "Available"`, else false.
   */
  statusObject?: boolean;
  /** The clusters: at least two. Each gets the whole service; a router role is needed. */
  clusters: ServiceClusterArgs[];
  /** How the clusters reach each other's pools. Default: `EndpointMode`. */
  export?: ExportArgs;
  /** The route that each cluster gets, over its own pool and those of the others. Default: none. */
  route?: MultiClusterRouteArgs;
}

/** A cluster that the service runs in. */
export interface ServiceClusterArgs {
  /** The cluster's name: a DNS label, part of resource names in the program. */
  name: string;
  /** The Kubernetes provider of the cluster. */
  provider: pulumi.ProviderResource;
  /** Replicas by role in this cluster. Default: those of the roles. */
  replicas?: Record<string, number>;
}

/**
 * The route of a cluster, as an ImportedInferencePool has it; `local` is the pool of the cluster itself, and a picker's
 * `localCluster` its name. All clusters export, so that the ClusterSet needs `importIntoExporters`.
 */
export interface MultiClusterRouteArgs {
  /** The gateway that the route is for. */
  gateway?: ImportingGatewayArgs;
  /** The share of the requests that go to the import. Default 1. */
  weight?: number;
  /** The share that stays: the InferencePool of the same name in this cluster. Default: there is none. */
  local?: LocalPoolArgs;
  /**
   * Gateways of the exporting clusters, for gateways of type `agentgateway`, `istio` and `ngf`, which cannot take an
   * import. Default: none.
   */
  parents?: ImportedParentArgs[];
  /**
   * In place of `parents`: these are the gateways that the import names, and the route is written by a program here as
   * they change. Default: none.
   */
  parentsAgent?: ParentsAgentArgs;
  /**
   * A picker of this project for the import, and an InferencePool by which gateways find it: they ask it, and it asks
   * the pickers of the exporting clusters. Default: none.
   */
  picker?: ImportPickerArgs;
  /** Who may open connections to the picker. Default: those who have to. */
  networkPolicy?: NetworkPolicyArgs;
  /** Settings of llm-d's picker, for a gateway of type `llm-d-global-epp`. */
  globalPicker?: GlobalPickerArgs;
  /** Namespace of the route; one that is not the pool's gets a ReferenceGrant. Default: that of the pool. */
  routeNamespace?: string;
  /** Gateways to attach to: name, and namespace, sectionName, port where needed. */
  parentRefs: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: pulumi.Input<HTTPRouteMatch>[];
  /** HTTPRoute filters. Default: none. */
  filters?: pulumi.Input<HTTPRouteFilter>[];
  /**
   * Verifies pickers and pods of exporting clusters, where the gateway takes a BackendTLSPolicy for an import. Default:
   * nothing is verified.
   */
  tls?: ImportTlsArgs;
}

/**
 * What may be said of the pods of a program that this project deploys: an endpoint picker, a controller, the webhook.
 * The fields are Kubernetes' own.
 */
export interface ProgramPodsArgs {
  /**
   * Resources of the program's container; what is given takes the place of the default as a whole. Default: requests of
   * 250m CPU and 256Mi of memory, and a limit of 1Gi of memory.
   */
  resources?: ResourceRequirementsArgs;
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
}
