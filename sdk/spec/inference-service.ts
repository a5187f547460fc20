import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { AcceleratorNames, AcceleratorResource } from "./accelerator-names.ts";
import { Accelerators } from "./accelerators.ts";
import { named, storedAs, words } from "./argument.ts";
import { EngineSettings } from "./engine.ts";
import { LLMServiceSpec } from "./llm-service.ts";
import { Model } from "./model.ts";
import { RewriteRule } from "./model-rewrite.ts";
import { NetworkDevices } from "./network-devices.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { NetworkTopology } from "./network-topology.ts";
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

const GangLayout = words("GangLayout", "Which pods start together.", {
  SubGroup: [
    "subGroup",
    "Each replica starts whole or not at all, and every gang role's minReplicas start together. It needs Volcano 1.14.1 or later.",
  ],
  Task: [
    "task",
    "Every replica of every gang role starts, or none does: the design's PodGroup to the letter.",
  ],
  None: ["none", "Pods start one by one, without a PodGroup."],
});

const WorkloadMode = words("WorkloadMode", "How many LeaderWorkerSets a role has.", {
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
        "Prefix of every object's name. Default: the name of the resource. Changing it replaces every object.",
      ),
    namespace: z
      .string()
      .default("default")
      .describe(
        "Namespace of the objects, such as `ns.metadata.name` of a Namespace of the program; it must exist. Changing it replaces every object.",
      ),
    labels: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        "Labels of every object. The prefixes `fusioninfer.io/` and `leaderworkerset.sigs.k8s.io/` are taken.",
      ),
    annotations: z
      .record(z.string(), z.string())
      .default({})
      .describe("Annotations of every object."),
  }),
).describe("What all objects of a component share.");

const Gang = named(
  "Gang",
  z.strictObject({
    layout: GangLayout.default("subGroup").describe("Which pods start together or not at all."),
    networkTopology: NetworkTopology.optional().describe(
      "How near to one another the pods of a replica run. It needs layout subGroup. Default: any nodes.",
    ),
  }),
).describe("The gang of a service: multi-node roles, and prefillers with decoders, are in it.");

const SchedulingStrategy = named(
  "SchedulingStrategy",
  z.strictObject({
    schedulerName: storedAs(z.string(), z.string().min(1))
      .optional()
      .describe(
        "Scheduler of all pods of every role. Default: volcano for roles in a gang, else the cluster's.",
      ),
    queue: z.string().min(1).optional().describe("Volcano queue of the gang. Default: Volcano's."),
    priorityClassName: z
      .string()
      .min(1)
      .optional()
      .describe("PriorityClass of the gang and of the pods. Default: the cluster's."),
    gang: Gang.prefault({}).describe("How the pods that need each other start."),
  }),
).describe("How the pods of a service are scheduled.");

const Recycle = named(
  "Recycle",
  z.strictObject({
    podsPerHour: z
      .int()
      .min(1)
      .max(maxRecycledPods)
      .default(2)
      .describe("Pods of the service that are deleted in any hour, at most."),
  }),
).describe(
  "The status controller deletes pods whose prefills fail with every partner while other pods work, one at a time. Their LeaderWorkerSet recreates them.",
);

const Resilience = named(
  "Resilience",
  z.strictObject({
    recycle: Recycle.optional().describe(
      "Lets the status controller delete failing prefillers and decoders, so that they are recreated. Needs `recyclesPods` of InferenceControllers. Default: the picker avoids failing pods, and none is deleted.",
    ),
  }),
).describe("What is done about pods that fail.");

const needsRouter = (field: string, why = "because its picker reads it") => ({
  rule: `!has(self.${field}) || self.roles.exists(r, r.componentType == 'router')`,
  message: `${field} needs a role of type router, ${why}`,
});

export const InferenceServiceSpec = z
  .strictObject({
    roles: z
      .array(Role)
      .min(1)
      .describe("The parts of the service: at least one, at most one router."),
    model: Model.optional().describe(
      "The model that the roles serve. The plan writes their pod templates from it. Default: each role has a template.",
    ),
    accelerator: AcceleratorNames.optional().describe(
      "The accelerator of all roles, which a `model` needs. For pod templates it decides the checks of docs/start-up.md. Default for those: the one that the template selects.",
    ),
    acceleratorResource: AcceleratorResource.describe(
      "Resource by which the pods of a `model` request accelerators. `deviceclass.resource.kubernetes.io/gpu.nvidia.com` requests devices of a DRA class from Kubernetes 1.36 on. Default: that of the maker's device plugin, as nvidia.com/gpu.",
    ),
    engine: EngineSettings.optional().describe(
      "The engine that serves the model, and its settings. Default: vLLM of the version that this library was tested with.",
    ),
    network: NetworkDevices.optional().describe(
      "Network devices of the roles whose pods exchange tensors or KV blocks. It needs a `model`. Default: the pods' own network.",
    ),
    workload: WorkloadMode.default("auto").describe("How many LeaderWorkerSets a role has."),
    schedulingStrategy: SchedulingStrategy.prefault({}).describe(
      "Scheduler, queue, priority and gang of all roles.",
    ),
    plugins: PodPlugins.optional().describe(
      "Plugins that customise the pods of the roles, in the order in which they run. docs/pod-plugins.md lists the built-in ones; those of the program are handed in as option podPlugins.",
    ),
    accelerators: Accelerators.optional().describe(
      "Resources that count accelerators besides the known ones (docs/gpu-nodes.md), or in other units. Default: the known ones.",
    ),
    networkPolicy: NetworkPolicyArgument.describe(
      "Who may open connections to engines and picker. Default: those who have to.",
    ),
    models: LLMServiceSpec.shape.models
      .optional()
      .describe(
        "Models that the service's pool serves; requests for any other are then refused. Needs a router.",
      ),
    resilience: Resilience.optional().describe(
      "What is done about prefillers and decoders that fail. Needs a router.",
    ),
    rewrites: z
      .array(RewriteRule)
      .min(1)
      .max(256)
      .optional()
      .describe("Rules by which the service's pool rewrites models. Needs a router."),
  })
  .meta(
    validations(
      needsRouter("models"),
      needsRouter("rewrites"),
      needsRouter("resilience", "because its picker detects failing pods"),
    ),
  );

export type Metadata = z.infer<typeof Metadata>;
/** The spec as parsed: defaults are filled in. */
export type InferenceServiceSpec = z.infer<typeof InferenceServiceSpec>;
/** The spec as written: the plan writes the templates of a service that names a model. */
export type InferenceServiceSpecInput = Omit<z.input<typeof InferenceServiceSpec>, "roles"> & {
  roles: RoleInput[];
};
export type MetadataInput = z.input<typeof Metadata>;

/** What a plan is made from, as written: name, namespace and the spec. */
export interface InferenceServiceInput {
  metadata: MetadataInput;
  spec: InferenceServiceSpecInput;
}

/** What a plan is made from, validated and with defaults. */
export interface InferenceService {
  metadata: Metadata;
  spec: InferenceServiceSpec;
}

export const inferenceRolesOf = (spec: Pick<InferenceServiceSpec, "roles">): InferenceRole[] =>
  spec.roles.filter(isInferenceRole);

export const routerOf = (spec: Pick<InferenceServiceSpec, "roles">): RouterRole | undefined =>
  spec.roles.find(isRouter);

/** Whether prefillers and decoders work together in the service. */
export const isDisaggregated = (roles: ReadonlyArray<{ componentType?: unknown }>): boolean =>
  roles.some((role) => role.componentType === "prefiller") &&
  roles.some((role) => role.componentType === "decoder");
