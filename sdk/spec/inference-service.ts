import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { Accelerators } from "../engines/accelerators/named-accelerator.ts";
import { AcceleratorNames, AcceleratorResource } from "../engines/spec/accelerator-names.ts";
import { EngineSettings } from "../engines/spec/engine.ts";
import { Model } from "../engines/spec/model.ts";
import { NetworkDevices } from "../engines/spec/network-devices.ts";
import { named, storedAs, words } from "../schemas/argument.ts";
import { Autoscaling } from "./autoscaling.ts";
import { LLMServiceSpec } from "./llm-service.ts";
import { RewriteRule } from "./model-rewrite.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { NetworkTopology } from "./network-topology.ts";
import { NodePlacement } from "./node-placement.ts";
import { PodPlugins } from "./pod-plugin.ts";
import { maxRecycledPods } from "./recycling.ts";
import {
  type InferenceRole,
  isInferenceRole,
  isRouter,
  Role,
  type RoleInput,
  type RouterRole,
} from "./role.ts";
import { ServiceRollout } from "./service-rollout.ts";

const GangLayout = words("GangLayout", "Which pods start together.", {
  SubGroup: [
    "subGroup",
    "Each replica starts as a whole, and the minReplicas of all gang roles start together. Needs Volcano 1.14.1 or later.",
  ],
  Task: [
    "task",
    "All replicas of all gang roles start together or not at all, exactly as the design's PodGroup specifies.",
  ],
  None: ["none", "Pods start independently, without a PodGroup."],
});

const WorkloadMode = words("WorkloadMode", "Number of LeaderWorkerSets per role.", {
  Auto: [
    "auto",
    "One per replica for multi-node roles and for prefillers and decoders that work together, else one per role.",
  ],
  PerReplica: ["perReplica", "One per replica."],
  PerRole: [
    "perRole",
    "One per role, which autoscalers can scale and which updates replica by replica.",
  ],
});

export type GangLayout = z.infer<typeof GangLayout>;
export type WorkloadMode = z.infer<typeof WorkloadMode>;

export const Metadata = named(
  "Metadata",
  z.strictObject({
    name: z
      .string()
      .describe(
        "Prefix of every object's name. Changing it replaces every object. Default: the name of the resource.",
      ),
    namespace: z
      .string()
      .default("default")
      .describe(
        "Namespace of the objects, such as `ns.metadata.name` of a Namespace in the program. It must exist. Changing it replaces every object.",
      ),
    labels: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        "Labels of every object. The prefixes `fusioninfer.io/` and `leaderworkerset.sigs.k8s.io/` are reserved.",
      ),
    annotations: z
      .record(z.string(), z.string())
      .default({})
      .describe("Annotations of every object."),
  }),
).describe("Metadata shared by all objects of a component.");

const Gang = named(
  "Gang",
  z.strictObject({
    layout: GangLayout.default("subGroup").describe("Which pods start together or not at all."),
    networkTopology: NetworkTopology.optional().describe(
      "Limit on the network distance between the pods of a replica. Needs gang layout `subGroup`. Default: any nodes.",
    ),
  }),
).describe("Gang of a service. It contains multi-node roles, and prefillers with decoders.");

const SchedulingStrategy = named(
  "SchedulingStrategy",
  z.strictObject({
    schedulerName: storedAs(z.string(), nonEmptyText)
      .optional()
      .describe(
        "Scheduler of all pods of every role. Default: volcano for roles in a gang, else the cluster's default scheduler.",
      ),
    queue: nonEmptyText
      .optional()
      .describe("Volcano queue of the gang. Default: Volcano's default queue."),
    priorityClassName: nonEmptyText
      .optional()
      .describe("PriorityClass of the gang and of the pods. Default: the cluster's default class."),
    gang: Gang.prefault({}).describe("How pods that depend on each other start."),
  }),
).describe("How the pods of a service are scheduled.");

const Recycle = named(
  "Recycle",
  z.strictObject({
    podsPerHour: positiveInteger
      .max(maxRecycledPods)
      .default(2)
      .describe("Maximum number of the service's pods that are deleted within an hour."),
  }),
).describe(
  "Deletion of pods whose prefills fail with every partner while other pods work. Pods are deleted one at a time; their LeaderWorkerSet recreates them.",
);

const Resilience = named(
  "Resilience",
  z.strictObject({
    recycle: Recycle.optional().describe(
      "Whether the status controller replaces failing prefillers and decoders. Needs `recyclesPods` of InferenceControllers. Default: requests avoid them, but they are not deleted.",
    ),
  }),
).describe("How the service handles failing pods.");

const needsRouter = (field: string, why = "because its picker reads it") => ({
  rule: `!has(self.${field}) || self.roles.exists(r, r.componentType == 'router')`,
  message: `${field} needs a role of type router, ${why}`,
});

export const InferenceServiceSpec = z
  .strictObject({
    roles: z
      .array(Role)
      .min(1)
      .describe("Parts of the service: at least one, with at most one router."),
    model: Model.optional().describe(
      "Model that the roles serve. The plan writes the roles' pod templates for this model. Default: none; each role has a template.",
    ),
    accelerator: AcceleratorNames.optional().describe(
      "Accelerator of all roles, required with `model`. The pods run on nodes with a label of this accelerator, and the checks of docs/start-up.md use its memory. Default for roles with a pod template: the accelerator that the template selects.",
    ),
    nodes: NodePlacement.optional().describe(
      "Nodes that the pods of all roles run on, if the labels of the accelerator are not enough. Default: nodes with a label of the accelerator.",
    ),
    acceleratorResource: AcceleratorResource.describe(
      "Resource name under which the pods of a `model` request accelerators. `deviceclass.resource.kubernetes.io/gpu.nvidia.com` requests devices of a DRA class and needs Kubernetes 1.36. Default: the resource of the vendor's device plugin, such as nvidia.com/gpu.",
    ),
    engine: EngineSettings.optional().describe(
      "Engine that serves the model, and its settings. Default: vLLM in the version that this library was tested with.",
    ),
    network: NetworkDevices.optional().describe(
      "Network devices of the roles whose pods exchange tensors or KV blocks. Needs a `model`. Default: the pod network.",
    ),
    workload: WorkloadMode.default("auto").describe("Number of LeaderWorkerSets per role."),
    autoscaling: Autoscaling.optional().describe(
      "Limits within which an autoscaler changes the number of replicas with the load. `replicas` is then the number at the creation of the service. Needs a router, and workload perRole for multi-node roles, prefillers and decoders. Default: only `replicas` changes the number.",
    ),
    rollout: ServiceRollout.optional().describe(
      "How `pulumi up` replaces the replicas of the service. Default: it continues when pods are ready, and stops when they do not start.",
    ),
    schedulingStrategy: SchedulingStrategy.prefault({}).describe(
      "Scheduler, queue, priority and gang of all roles.",
    ),
    plugins: PodPlugins.optional().describe(
      "Plugins that customise the roles' pods, in the order in which they run. docs/pod-plugins.md lists the built-in plugins. Pass plugins of the program in the option podPlugins.",
    ),
    accelerators: Accelerators.optional().describe(
      "Resources that count accelerators, in addition to the known ones (docs/gpu-nodes.md) or in different units. Default: the known resources.",
    ),
    networkPolicy: NetworkPolicyArgument.describe(
      "Peers that may open connections to engines and picker. Default: only the peers that need to.",
    ),
    models: LLMServiceSpec.shape.models
      .optional()
      .describe(
        "Models that the service's pool serves. Requests for other models are rejected. Needs a router.",
      ),
    resilience: Resilience.optional().describe(
      "How the service handles failing prefillers and decoders. Needs a router.",
    ),
    rewrites: z
      .array(RewriteRule)
      .min(1)
      .max(256)
      .optional()
      .describe("Rules by which the service's pool rewrites model names. Needs a router."),
  })
  .meta(
    validations(
      needsRouter("models"),
      needsRouter("rewrites"),
      needsRouter("autoscaling", "because its picker computes the number of replicas"),
      needsRouter("resilience", "because its picker detects failing pods"),
    ),
  );

export type Metadata = z.infer<typeof Metadata>;
/** Validated spec, with defaults filled in. */
export type InferenceServiceSpec = z.infer<typeof InferenceServiceSpec>;
/** Spec as written. A service that names a model may omit the templates, which the plan writes. */
export type InferenceServiceSpecInput = Omit<z.input<typeof InferenceServiceSpec>, "roles"> & {
  roles: RoleInput[];
};
export type MetadataInput = z.input<typeof Metadata>;

/** Input of a plan, as written: name, namespace and spec. */
export interface InferenceServiceInput {
  metadata: MetadataInput;
  spec: InferenceServiceSpecInput;
}

/** Input of a plan, validated and with defaults. */
export interface InferenceService {
  metadata: Metadata;
  spec: InferenceServiceSpec;
}

export const inferenceRolesOf = (spec: Pick<InferenceServiceSpec, "roles">): InferenceRole[] =>
  spec.roles.filter(isInferenceRole);

export const routerOf = (spec: Pick<InferenceServiceSpec, "roles">): RouterRole | undefined =>
  spec.roles.find(isRouter);

/** Reports whether prefillers and decoders work together in the service. */
export const isDisaggregated = (roles: ReadonlyArray<{ componentType?: unknown }>): boolean =>
  roles.some((role) => role.componentType === "prefiller") &&
  roles.some((role) => role.componentType === "decoder");
