import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { sentence } from "../errors.ts";
import { executorNames, executors } from "../executors/index.ts";
import { AcceleratorNames, AcceleratorResource } from "./accelerator-names.ts";
import { extending, named, output, planned, storedAs, typed, words, wordsOf } from "./argument.ts";
import { EngineSettings } from "./engine.ts";
import { engineDrain } from "./engine-drain.ts";
import { Export } from "./export.ts";
import { FlowControl } from "./flow-control.ts";
import { NetworkDevices } from "./network-devices.ts";
import { pickerRequestFields } from "./picker-requests.ts";
import { pickerServingFields, Tracing } from "./picker-serving.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { PoolGatewayType } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";
import { leaf, templateResources, text } from "./resources.ts";
import { ownPickerFields, SharedPickerPort } from "./shared-picker-port.ts";

/**
 * One role of a service. Defaults stand here and nowhere else.
 * Fields and meanings are those of the InferenceService design (`Role`, `Multinode`); fields that it lacks say so. FusionInfer's
 * operator has objects of the kind too: the API server holds a field of the design to no more than its schema there.
 */

const engineTypes = {
  Worker: ["worker", "They serve whole requests."],
  Prefiller: ["prefiller", "They compute prompts, from which decoders continue."],
  Decoder: ["decoder", "They generate tokens from prompts that prefillers have computed."],
} as const;

const EngineType = words("EngineType", "Task of the pods of an engine.", engineTypes);

export const ComponentType = words("ComponentType", "Task of the pods of a role.", {
  ...engineTypes,
  Router: ["router", "They route requests to the pods of the other roles."],
});
export const componentTypes = ComponentType.options;

export const RoutingStrategy = words(
  "RoutingStrategy",
  "How the picker selects the pod of a request.",
  {
    PrefixCache: [
      "prefix-cache",
      "The pod with the lowest cost in prompt tokens: tokens of the request that are not cached there, plus tokens queued before it.",
    ],
    KvCacheUtilization: [
      "kv-cache-utilization",
      "Among the pods with a low cost, one with free KV cache.",
    ],
    QueueSize: ["queue-size", "Among the pods with a low cost, one with a short queue."],
    LoraAffinity: [
      "lora-affinity",
      "Among the pods with a low cost, one that has loaded the request's LoRA adapter.",
    ],
    PdDisaggregation: [
      "pd-disaggregation",
      "A prefiller and a decoder, each with the lowest cost in prompt tokens.",
    ],
  },
);
export const routingStrategies = RoutingStrategy.options;

const Executor = wordsOf(
  "Executor",
  "How the pods of a multi-node replica form one engine.",
  executorNames,
  (name) => sentence(executors[name].title),
);

export const FailureMode = words(
  "FailureMode",
  "How the gateway handles requests while the endpoint picker does not respond.",
  {
    FailClose: ["FailClose", "It rejects them."],
    FailOpen: ["FailOpen", "It sends them to any pod of the pool."],
  },
);

export type ComponentType = z.infer<typeof ComponentType>;
export type RoutingStrategy = z.infer<typeof RoutingStrategy>;
export type FailureMode = z.infer<typeof FailureMode>;

export const isComponentType = (value: unknown): value is ComponentType =>
  componentTypes.some((type) => type === value);

const maxInt32 = 2 ** 31 - 1;
const count = z.int().min(0).max(maxInt32);
const port = z.int().min(1).max(65_535);

const containerPort = z.looseObject({
  name: z.string().optional(),
  containerPort: port,
  protocol: z.enum(["TCP", "UDP", "SCTP"]).optional(),
});

const container = z.looseObject({
  name: z.string().min(1),
  ports: z.array(containerPort).optional(),
  resources: templateResources.optional(),
});

/**
 * A pod template: its metadata is kept, its spec goes to the API server as written. Fields that stand here are read, and
 * plain unless they say otherwise; all others may be Outputs.
 */
export const PodTemplate = typed(
  "PodTemplateArgs",
  z.strictObject({
    metadata: z
      .looseObject({
        labels: z.record(z.string(), leaf).optional(),
        annotations: z.record(z.string(), leaf).optional(),
      })
      .optional(),
    spec: z.looseObject({
      containers: z.array(container).min(1),
      initContainers: z.array(container).optional(),
      schedulerName: z.unknown().optional(),
      priorityClassName: z.unknown().optional(),
      affinity: z.looseObject({}).optional(),
    }),
  }),
);

const Multinode = named(
  "Multinode",
  z.strictObject({
    nodeCount: count
      .min(1)
      .describe("Pods of one replica, the leader included. 1 is the same as no multinode."),
    executor: Executor.optional().describe(
      "How the pods of a replica form one engine. Default: sglang for SGLang; for vLLM mp from version 0.11.1 on, and ray for older images and those for TPU, XPU and Ascend, by the image's tag. Required if the engine or its version is not known.",
    ),
    distinctNodes: z
      .boolean()
      .default(false)
      .describe(
        "Whether the pods of a replica must run on different nodes. Pods that fill a node do anyway.",
      ),
  }),
).describe("Replicas of several pods.");

const anything = z.looseObject({});

/** Fields that every role has. */
const name = z
  .string()
  .describe(
    "The role's name: a DNS label, unique in the service. It is part of object names; changing it replaces the role's objects.",
  );
const replicas = storedAs(z.int32(), count)
  .default(1)
  .describe("Instances of the engine, or pods of a router's endpoint picker. 0 stops the role.");

const engineFields = {
  name,
  replicas,
  minReplicas: count
    .min(1)
    .optional()
    .describe(
      "Replicas that start together with the other gang roles' minimum, and that waitFor waits for. Default 1.",
    ),
  multinode: storedAs(Multinode, Multinode)
    .optional()
    .describe("Makes every replica a group of pods that are one engine."),
  port: port
    .optional()
    .describe(
      "Port on which the role's pods serve the model. Default: the engine's port named http, else the port that its command sets, else the engine's default. Set it if the preview reports that the port is not known, for example because a script file starts the engine.",
    ),
  drainSeconds: count
    .default(engineDrain.answers)
    .describe(
      `Longest time in seconds that running answers may take after a pod is deleted, for vLLM from 0.18 on and SGLang: it plans their own drain, the grace period and a preStop hook, as far as the template sets none. A pod without running answers ends at once. Default ${engineDrain.answers}; 0 plans nothing.`,
    ),
  plugins: PodPlugins.optional().describe(
    "Plugins for this role's pods, which run after those of the service.",
  ),
  sidecar: z
    .boolean()
    .optional()
    .describe(
      "Whether the pods of a decoder that works with prefillers behind a router get the decode sidecar, which has prompts computed by prefillers. Default true, unless the template has a sidecar of its own.",
    ),
  sidecarImage: text
    .optional()
    .describe(
      "The decode sidecar's image. Changing it restarts the decoders' pods. Default: stack configuration pulumi-inference:sidecarImage, else this project's image of the sidecar's own version, which new versions of the library keep.",
    ),
  sidecarTracing: Tracing.optional().describe(
    "The receiver of the decode sidecar's spans, of both legs of a request, and the share of the requests that are recorded. Changing it restarts the decoders' pods. Default: no spans are made, whatever the router does.",
  ),
  accelerator: AcceleratorNames.optional().describe(
    "Accelerator of the role's pods. Default: that of the service.",
  ),
  acceleratorResource: AcceleratorResource.describe(
    "Resource by which the role's pods request accelerators. Default: that of the service.",
  ),
  engine: EngineSettings.optional().describe(
    "Engine of the role and its settings, instead of those of the service. Default: those of the service.",
  ),
  network: NetworkDevices.optional().describe(
    "Network devices of the role's pods, instead of those of the service. Default: those of the service.",
  ),
  template: planned(storedAs(anything, PodTemplate)).describe(
    "Pod template of the engine. Required unless the service names a `model`, from which the plan then writes it; fields that are set here win.",
  ),
};

const whatPodsDo =
  "Task of the pods: a worker serves whole requests; a prefiller computes prompts, from which a decoder continues; a router routes requests to the other roles. Prefillers and decoders require each other.";

const EngineRole = named(
  "EngineRole",
  z.strictObject({ componentType: EngineType.describe(whatPodsDo), ...engineFields }),
).describe("Pods that run an inference engine.");

const RouterHttpRoute = named(
  "RouterHttpRoute",
  z.looseObject({
    parentRefs: z
      .array(typed("ParentReference", z.looseObject({ name: leaf })))
      .optional()
      .describe(
        "Gateways to attach to: name, and namespace, sectionName, port where needed. Default: the Gateway that the router makes.",
      ),
    hostnames: output(z.array(z.unknown()), "pulumi.Input<string>[]")
      .optional()
      .describe("Host names. Default: those of the gateways' listeners."),
    rules: z
      .array(typed("HTTPRouteRule", z.looseObject({ backendRefs: z.unknown().optional() })))
      .optional()
      .describe(
        "Matches, filters and timeouts of the rules. Their backendRefs are the service's pool. A rule without timeouts has `request: 0s`, which disables the limit, if the gateway's type is one that cuts answers otherwise. Default: one rule for the paths of clients' APIs.",
      ),
  }),
).describe("Spec of the HTTPRoute (`gateway.networking.k8s.io/v1`) that leads to a service.");

const RouterGateway = extending(
  "Partial<GatewaySpec>",
  named(
    "RouterGateway",
    z.looseObject({
      type: PoolGatewayType.optional().describe(
        "The kind of gateway, which may need objects of its own beside the pool. Default: as gatewayClassName tells, else generic.",
      ),
    }),
  ),
).describe(
  "The gateway of a router: its kind, and the spec of the Gateway (`gateway.networking.k8s.io/v1`) to create.",
);

const RouterRole = named(
  "RouterRole",
  z.strictObject({
    componentType: z.literal("router").describe(whatPodsDo),
    name,
    strategy: storedAs(RoutingStrategy, RoutingStrategy)
      .optional()
      .describe(
        "How a request finds its pod. Default pd-disaggregation with prefillers and decoders, else prefix-cache.",
      ),
    endpointPickerConfig: storedAs(z.string(), z.string().min(1))
      .optional()
      .describe("The endpoint picker's configuration as YAML text, in place of a strategy."),
    kvEvents: z
      .boolean()
      .optional()
      .describe(
        "Whether the engines, which must be vLLM, tell the picker which prefixes they have cached, in place of an estimate. It changes their pods. Default false.",
      ),
    shared: SharedPickerPort.optional().describe(
      "A SharedEndpointPicker that picks for this service too, in place of a picker of its own; beside it there may be a strategy or a configuration. Default: the service has a picker of its own.",
    ),
    httproute: storedAs(anything, RouterHttpRoute)
      .optional()
      .describe(
        "The HTTPRoute to make. Its rules are kept; their backend is the service's pool. Without rules it serves the paths of clients' APIs; `rules: [{}]` serves every path, the engine's metrics and administration among them. Default: no route.",
      ),
    gateway: storedAs(anything, RouterGateway)
      .optional()
      .describe(
        "The gateway in front: its type, and the spec of a Gateway to create, which the route attaches to. Default: no Gateway is made.",
      ),
    replicas,
    ...programPodFields,
    ...pickerServingFields,
    ...pickerRequestFields,
    flowControl: FlowControl.optional().describe(
      "How requests wait in the picker while no engine has room. Default: with limits that suit interactive chat; `enabled: false` lets them wait at the engines.",
    ),
    targetPort: port
      .optional()
      .describe(
        "Port of the model servers. Default: the first of targetPorts, else the engine's port named http, else its only port, else 8000.",
      ),
    targetPorts: z
      .array(port)
      .min(1)
      .max(8)
      .optional()
      .describe(
        "Ports of the model servers of a pod, 1 to 8, such as one for each data-parallel rank: the picker chooses among them. The first is the one that probes ask. Default: targetPort alone.",
      ),
    failureMode: FailureMode.default("FailClose").describe(
      "What the gateway does while the endpoint picker does not answer.",
    ),
    metricsAuth: z
      .boolean()
      .default(true)
      .describe(
        "Whether the picker's /metrics asks for a token that may read it, which needs a ClusterRole.",
      ),
    export: Export.optional().describe(
      "Exports the service's pool to the other clusters of its set. Default: it is not exported.",
    ),
  }),
).describe(
  "What stands before the engines: an endpoint picker, an InferencePool and, where asked for, a route.",
);

export const Role = named("Role", z.discriminatedUnion("componentType", [EngineRole, RouterRole]))
  .describe(
    "One part of a service: pods that run an inference engine, or the router before them; componentType tells which.",
  )
  .meta(
    validations(
      {
        rule: `!has(self.shared) || !(${[...ownPickerFields, "export"].map((f) => `has(self.${f})`).join(" || ")})`,
        message:
          "a router with a shared picker does not configure the picker's pods and is not exported",
      },
      {
        rule: "!has(self.minReplicas) || (has(self.replicas) ? self.replicas == 0 || self.minReplicas <= self.replicas : self.minReplicas == 1)",
        message: "minReplicas is at most replicas (default 1)",
      },
    ),
  );

type EngineRoleInput = z.input<typeof EngineRole>;
/** A role as written. */
export type RoleInput =
  | z.input<typeof RouterRole>
  | (Omit<EngineRoleInput, "template"> & { template?: EngineRoleInput["template"] });

/** A role as parsed: defaults are filled in. */
export type Role = z.infer<typeof Role>;
export type RouterRole = z.infer<typeof RouterRole>;
/** A role whose pods run an inference engine. */
export type InferenceRole = Exclude<Role, RouterRole>;
export type PodTemplate = z.infer<typeof PodTemplate>;
export type PodSpec = PodTemplate["spec"];
export type Container = PodSpec["containers"][number];
export type ContainerPort = z.infer<typeof containerPort>;

export const isRouter = (role: Role): role is RouterRole => role.componentType === "router";
export const isInferenceRole = (role: Role): role is InferenceRole => !isRouter(role);

/** Pods of one replica. */
export const nodeCountOf = (role: InferenceRole): number => role.multinode?.nodeCount ?? 1;
export const isMultiNode = (role: InferenceRole): boolean => nodeCountOf(role) >= 2;
/** Replicas of a role that must be ready before the role counts as started. */
export const minReplicasOf = (role: InferenceRole): number =>
  Math.min(role.minReplicas ?? 1, role.replicas);
