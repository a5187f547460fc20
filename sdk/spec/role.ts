import { z } from "zod";
import { executorNames } from "../executors/index.ts";
import { poolGatewayTypes } from "../gateways/pool-gateways.ts";
import { Export } from "./export.ts";
import { pickerServingFields } from "./picker-serving.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { programPodFields } from "./program-pods.ts";
import { leaf, resources } from "./resources.ts";

/**
 * The words of one role. Defaults stand here and nowhere else.
 * Fields and meanings are those of the InferenceService design (`Role`, `Multinode`); fields it lacks say so.
 */

export const componentTypes = ["worker", "prefiller", "decoder", "router"] as const;
export const routingStrategies = [
  "prefix-cache",
  "kv-cache-utilization",
  "queue-size",
  "lora-affinity",
  "pd-disaggregation",
] as const;
export const failureModes = ["FailClose", "FailOpen"] as const;

export type ComponentType = (typeof componentTypes)[number];
export type RoutingStrategy = (typeof routingStrategies)[number];
export type FailureMode = (typeof failureModes)[number];

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
  resources: resources.optional(),
});

/** A pod template: its metadata is kept, its spec goes to the API server as written. */
export const PodTemplate = z.strictObject({
  metadata: z
    .looseObject({
      labels: z.record(z.string(), leaf).optional(),
      annotations: z.record(z.string(), leaf).optional(),
    })
    .optional(),
  spec: z.looseObject({
    containers: z.array(container).min(1),
    initContainers: z.array(container).optional(),
  }),
});

const Multinode = z.strictObject({
  /** Leader included. 1 is the same as no `multinode`. */
  nodeCount: count.min(1).describe("Pods of one replica."),
  /** Ray, vLLM without Ray (`mp`), SGLang's own way, or the template's. */
  executor: z
    .enum(executorNames)
    .optional()
    .describe(
      "How the pods of a replica form one engine. Default sglang where the template starts SGLang, else ray.",
    ),
  /** Full-node pods need no such rule. */
  distinctNodes: z
    .boolean()
    .default(false)
    .describe("Whether the pods of a replica must run on different nodes. Default false."),
});

const inferenceRole = {
  name: z.string(),
  /** Independent instances of the engine. */
  replicas: count.default(1),
  /** Replicas that must start together with the other gang roles' minimum, and that readiness waits for. Default 1. */
  minReplicas: count.min(1).optional(),
  multinode: Multinode.optional(),
  /** Plugins for this role's pods, which run after those of the service. */
  plugins: PodPlugins.optional(),
  template: PodTemplate,
};

const WorkerRole = z.strictObject({ componentType: z.literal("worker"), ...inferenceRole });
const PrefillerRole = z.strictObject({ componentType: z.literal("prefiller"), ...inferenceRole });
const DecoderRole = z.strictObject({ componentType: z.literal("decoder"), ...inferenceRole });

const RouterRole = z.strictObject({
  componentType: z.literal("router"),
  name: z.string(),
  /** How a request finds its pod. Default: pd-disaggregation with prefillers and decoders, else prefix-cache. */
  strategy: z.enum(routingStrategies).optional(),
  /** The picker's configuration as YAML text, in place of a strategy. */
  endpointPickerConfig: z.string().min(1).optional(),
  /**
   * HTTPRoute spec. Its rules are kept, and their backendRefs are the service's pool. Without rules it serves the paths of
   * clients' APIs; a rule without matches serves every path.
   */
  httproute: z
    .looseObject({
      parentRefs: z.array(z.looseObject({ name: leaf })).optional(),
      rules: z.array(z.looseObject({})).optional(),
    })
    .optional(),
  /**
   * `type`: the kind of gateway, which may need objects of its own beside the pool. Default: as the class's name tells,
   * else generic. The rest is the spec of a Gateway to create, which the route attaches to; without it none is.
   */
  gateway: z.looseObject({ type: z.enum(poolGatewayTypes).optional() }).optional(),
  /** Endpoint picker pods. */
  replicas: count.default(1),
  /** Image, resources and placement of the endpoint picker. */
  ...programPodFields,
  ...pickerServingFields,
  /** Port of the model servers, where the templates do not tell it. */
  targetPort: port.optional(),
  /** What the gateway does when the picker is gone: FailClose refuses requests, FailOpen sends them to any pod. */
  failureMode: z.enum(failureModes).default("FailClose"),
  /** Whether the picker's pages ask for a token that may read them. Needs a ClusterRole. */
  metricsAuth: z.boolean().default(true),
  /** Exports the service's pool to the other clusters of its set. */
  export: Export.optional(),
});

export const Role = z.discriminatedUnion("componentType", [
  WorkerRole,
  PrefillerRole,
  DecoderRole,
  RouterRole,
]);

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
