import { z } from "zod";
import { nonEmptyText } from "../../kubernetes/kinds/field-types.ts";
import { gateway } from "../../kubernetes/kinds/gateway.ts";
import { httpRoute } from "../../kubernetes/kinds/http-route.ts";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { executorNames, executors } from "../engines/groups/index.ts";
import { AcceleratorNames, AcceleratorResource } from "../engines/spec/accelerator-names.ts";
import { EngineSettings } from "../engines/spec/engine.ts";
import { engineDrain } from "../engines/spec/engine-drain.ts";
import { NetworkDevices } from "../engines/spec/network-devices.ts";
import { sentence } from "../errors.ts";
import {
  extending,
  named,
  offByDefault,
  onByDefault,
  output,
  planned,
  storedAs,
  typed,
  words,
  wordsOf,
} from "../schemas/argument.ts";
import { partOf } from "../schemas/kubernetes-object.ts";
import { PodTemplate, port } from "../schemas/pod-template.ts";
import { leaf, text } from "../schemas/resources.ts";
import { Access } from "./access.ts";
import { Export } from "./export.ts";
import { FlowControl } from "./flow-control.ts";
import { NodePlacement } from "./node-placement.ts";
import { pickerRequestFields } from "./picker-requests.ts";
import { pickerServingFields, Tracing } from "./picker-serving.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { PoolGatewayType } from "./pool-gateway.ts";
import { programPodFields } from "./program-pods.ts";
import { ownPickerFields, SharedPickerPort } from "./shared-picker-port.ts";

/**
 * One role of a service. Only this file defines defaults. The InferenceService design (`Role`, `Multinode`) defines
 * the fields and their meanings; fields that it lacks are marked. FusionInfer's operator also has objects of this
 * kind, so the API server validates a field of the design no more strictly than that operator's schema does.
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

const Multinode = named(
  "Multinode",
  z.strictObject({
    nodeCount: count
      .min(1)
      .describe("Pods per replica, including the leader. 1 is the same as no multinode."),
    executor: Executor.optional().describe(
      "How the pods of a replica form one engine. Default for SGLang: sglang. Default for vLLM, by the image's tag: mp from version 0.11.1; ray for older versions and for TPU, XPU and Ascend images. Required if the engine or its version is unknown.",
    ),
    distinctNodes: offByDefault(
      "Whether the pods of a replica must run on different nodes. Pods that fill a node always run on different nodes.",
    ),
  }),
).describe("Groups of pods that form one replica.");

const RoleRollout = named(
  "RoleRollout",
  z.strictObject({
    maxUnavailable: count
      .default(1)
      .describe("Maximum number of replicas that are away at a time. Default 1."),
    maxSurge: count
      .default(0)
      .describe(
        "Maximum number of replicas that are added until the update is complete. They need free accelerators, and one LeaderWorkerSet per role. Default 0.",
      ),
  }),
).describe("How an update of the pod template replaces the replicas of a role.");

const anything = z.looseObject({});

/** Fields that every role has. */
const name = z
  .string()
  .describe(
    "Name of the role: a DNS label, unique in the service. It is part of object names; changing it replaces the role's objects.",
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
      "Minimum number of replicas. They start together with the minimum of the other gang roles, and waitFor waits for them. Default 1.",
    ),
  rollout: RoleRollout.optional().describe(
    "How an update of the pod template replaces the replicas. Default: one after the other, without additional accelerators.",
  ),
  multinode: storedAs(Multinode, Multinode)
    .optional()
    .describe("Makes each replica a group of pods that form one engine."),
  port: port
    .optional()
    .describe(
      "Port on which the role's pods serve the model. Set it if the preview reports that the port is unknown, for example because a script starts the engine. Default: the engine's port named http, else the port in its command, else the engine's default port.",
    ),
  drainSeconds: count
    .default(engineDrain.answers)
    .describe(
      `Maximum time in seconds that running responses may take after a pod is deleted, for SGLang and for vLLM 0.18 or later. The plan enables draining in the engine and adds a grace period and a preStop hook unless the template sets them. A pod without running responses terminates immediately. Default ${engineDrain.answers}; 0 adds nothing.`,
    ),
  plugins: PodPlugins.optional().describe(
    "Plugins for this role's pods. They run after the service's plugins.",
  ),
  sidecar: z
    .boolean()
    .optional()
    .describe(
      "Whether the decode sidecar, which sends prompts to prefillers, is added to the pods of a decoder that works with prefillers behind a router. Default true, unless the template contains a sidecar.",
    ),
  sidecarImage: text
    .optional()
    .describe(
      "Image of the decode sidecar. Changing it restarts the decoders' pods. Default: stack configuration pulumi-inference:sidecarImage, else this project's image. Its version is independent of the library's, and most releases of the library keep it.",
    ),
  sidecarTracing: Tracing.optional().describe(
    "Receiver of the decode sidecar's trace spans, for the prefill and the decode of a request, and the share of requests that are sampled. Changing it restarts the decoders' pods. Default: no tracing, regardless of the router's setting.",
  ),
  accelerator: AcceleratorNames.optional().describe(
    "Accelerator of the role's pods. Default: the service's accelerator.",
  ),
  nodes: NodePlacement.optional().describe(
    "Nodes that the role's pods run on. It replaces the service's nodes. Default: the service's nodes.",
  ),
  acceleratorResource: AcceleratorResource.describe(
    "Resource name under which the role's pods request accelerators. Default: the service's acceleratorResource.",
  ),
  engine: EngineSettings.optional().describe(
    "Engine of the role, and its settings. It replaces the service's engine. Default: the service's engine.",
  ),
  network: NetworkDevices.optional().describe(
    "Network devices of the role's pods. They replace the service's devices. Default: the service's network.",
  ),
  template: planned(storedAs(anything, PodTemplate)).describe(
    "Pod template of the engine. If the service names a `model`, the plan writes the template, and fields set here override it; otherwise the template is required.",
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
  partOf(
    httpRoute,
    [],
    z.looseObject({
      parentRefs: z
        .array(typed("ParentReference", z.looseObject({ name: leaf })))
        .optional()
        .describe(
          "Gateways that the route attaches to: name, and optionally namespace, sectionName and port. Default: the Gateway that the router creates.",
        ),
      hostnames: output(z.array(z.unknown()), "pulumi.Input<string>[]")
        .optional()
        .describe("Host names. Default: the host names of the gateways' listeners."),
      rules: z
        .array(typed("HTTPRouteRule", z.looseObject({ backendRefs: z.unknown().optional() })))
        .optional()
        .describe(
          "Matches, filters and timeouts of the rules. Their backendRefs are set to the service's pool. A rule without timeouts gets `request: 0s`, which disables the limit, if gateways of this type otherwise cut long responses. Default: one rule for the paths of clients' APIs.",
        ),
    }),
  ),
).describe("Spec of the HTTPRoute (`gateway.networking.k8s.io/v1`) to a service.");

const RouterGateway = extending(
  "Partial<GatewaySpec>",
  named(
    "RouterGateway",
    partOf(
      gateway,
      [],
      z.looseObject({
        type: PoolGatewayType.optional().describe(
          "Kind of gateway. Some kinds need further objects besides the pool. Default: derived from gatewayClassName, else generic.",
        ),
      }),
      { type: {} },
    ),
  ),
).describe(
  "Gateway of a router: its kind, and the spec of the Gateway (`gateway.networking.k8s.io/v1`) to create.",
);

const RouterRole = named(
  "RouterRole",
  z.strictObject({
    componentType: z.literal("router").describe(whatPodsDo),
    name,
    strategy: storedAs(RoutingStrategy, RoutingStrategy)
      .optional()
      .describe(
        "How the picker selects the pod of a request. Default: pd-disaggregation with prefillers and decoders, else prefix-cache.",
      ),
    endpointPickerConfig: storedAs(z.string(), nonEmptyText)
      .optional()
      .describe("Configuration of the endpoint picker as YAML text, instead of a strategy."),
    kvEvents: z
      .boolean()
      .optional()
      .describe(
        "Whether the engines publish the prefixes in their caches to the picker, which otherwise estimates them. All engines must be vLLM. Changing it changes the engines' pods. Default false.",
      ),
    shared: SharedPickerPort.optional().describe(
      "SharedEndpointPicker that also serves this service, instead of a dedicated picker. A strategy or a configuration may be set with it. Default: a dedicated picker.",
    ),
    httproute: storedAs(anything, RouterHttpRoute)
      .optional()
      .describe(
        "HTTPRoute to create. Its rules are kept, with the service's pool as the backend. Without rules it serves the paths of clients' APIs. `rules: [{}]` serves every path, including the engine's metrics and administration endpoints. Default: no route.",
      ),
    gateway: storedAs(anything, RouterGateway)
      .optional()
      .describe(
        "Gateway in front of the service: its type, and the spec of a Gateway to create, which the route attaches to. Default: no Gateway is created.",
      ),
    access: Access.optional().describe(
      "Clients that may send requests, by a policy of the gateway. The gateway names the tenant of each request in `tenantHeader`, and removes this header from clients' requests. Default: everyone who can reach the gateway.",
    ),
    replicas,
    ...programPodFields,
    ...pickerServingFields,
    ...pickerRequestFields,
    flowControl: FlowControl.optional().describe(
      "How requests wait in the picker while no engine has free capacity. Default: enabled, with limits for interactive chat; `enabled: false` makes requests wait at the engines.",
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
        "Ports of a pod's model servers, 1 to 8, such as one for each data-parallel rank. The picker selects one of them for each request. Probes use the first. Default: targetPort only.",
      ),
    failureMode: FailureMode.default("FailClose").describe(
      "How the gateway handles requests while the endpoint picker does not respond.",
    ),
    metricsAuth: onByDefault(
      "Whether the picker's /metrics requires a bearer token with permission to read it. This needs a ClusterRole.",
    ),
    export: Export.optional().describe(
      "Exports the service's pool to the other clusters of its set. Default: no export.",
    ),
  }),
).describe(
  "Request routing in front of the engines: an endpoint picker, an InferencePool and, optionally, a route.",
);

export const Role = named("Role", z.discriminatedUnion("componentType", [EngineRole, RouterRole]))
  .describe(
    "Part of a service: pods that run an inference engine, or the router in front of them. componentType selects which.",
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
/** Role as written. */
export type RoleInput =
  | z.input<typeof RouterRole>
  | (Omit<EngineRoleInput, "template"> & { template?: EngineRoleInput["template"] });

/** Role as validated, with defaults filled in. */
export type Role = z.infer<typeof Role>;
export type RouterRole = z.infer<typeof RouterRole>;
/** Role whose pods run an inference engine. */
export type InferenceRole = Exclude<Role, RouterRole>;

export const isRouter = (role: Role): role is RouterRole => role.componentType === "router";
export const isInferenceRole = (role: Role): role is InferenceRole => !isRouter(role);

/** Returns the number of replicas that must be ready before the role counts as started. */
export const minReplicasOf = (role: InferenceRole): number =>
  Math.min(role.minReplicas ?? 1, role.replicas);
