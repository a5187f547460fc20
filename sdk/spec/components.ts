import { z } from "zod";
import { named, output, typed } from "./argument.ts";
import { ClusterSetMemberSpec, ClusterSetSpec } from "./cluster-set.ts";
import { ControllersSpec } from "./controllers.ts";
import { Export } from "./export.ts";
import { ImportedPoolSpec } from "./imported-pool.ts";
import { InferenceRouteSpec } from "./inference-route.ts";
import { InferenceServiceSpec, Metadata } from "./inference-service.ts";
import { InferencePoolComponentSpec, LLMServerPoolSpec } from "./llm-server-pool.ts";
import { LLMServiceSpec } from "./llm-service.ts";
import { ModelRewriteSpec, ObjectiveSpec, RewriteVersion } from "./model-rewrite.ts";
import { ModelRouterSpec } from "./model-router.ts";
import { ModelServingSpec } from "./model-serving.ts";
import { SharedEndpointPickerSpec } from "./shared-endpoint-picker.ts";

/**
 * The arguments of each component: the metadata of its objects, the fields of its spec, and those that the component has
 * beside them. The types of `components` and the reference pages are made from these.
 */

const MetadataArguments = named(
  "Metadata",
  z.strictObject({
    ...Metadata.shape,
    name: Metadata.shape.name.optional(),
    namespace: output(Metadata.shape.namespace),
  }),
)
  .describe(Metadata.description ?? "")
  .optional();

const ofObjects =
  "Name, namespace, labels and annotations. Default: named like the resource, in `default`.";
const ofPrograms =
  "Namespace, labels and annotations. The namespace must exist; default `default`. The names are fixed.";

const argumentsOf = <Shape extends z.core.$ZodLooseShape>(
  component: string,
  description: string,
  shape: Shape,
  metadata = ofObjects,
) =>
  named(
    component,
    z.strictObject({ metadata: MetadataArguments.describe(metadata), ...shape }),
  ).describe(description);

const WaitFor = named(
  "WaitFor",
  typed("WaitFor", z.union([z.boolean(), z.literal("Available")]), "pulumi.Inputs[string]"),
).describe(
  "What creating and updating wait for: nothing, the service to work, or its own condition Available.",
);

const serviceFields = {
  ...InferenceServiceSpec.shape,
  waitFor: WaitFor.optional().describe(
    `Whether creating and updating wait until the service works: every role has its \`minReplicas\` ready on its current template, the endpoint picker's Deployment is available, and a gateway has accepted the route and found its pool. Default false: a service that has started in part, for want of accelerators, is a success.

New objects are awaited before old ones go. Where the new need what the old hold, such as the accelerators of a renamed role or the names of a changed \`workload\`, waiting never ends: make such an edit with \`waitFor\` off.

\`"Available"\` waits for one thing, the condition Available of the status object, which the status controller sets; while it waits, the condition's message says per role what is missing.

A role with one LeaderWorkerSet per replica is waited for until its first \`minReplicas\` are ready. Waiting ends with an error after an hour per LeaderWorkerSet, or after the \`customTimeouts\` of the service.`,
  ),
  statusObject: z
    .boolean()
    .optional()
    .describe(
      'Whether the service has an object of its own kind in the cluster (`fusioninfer.io/v1alpha1`), on which the status controller writes how every role is doing. Nothing is built from it by this project. Where FusionInfer\'s operator runs, leave it out: that operator would build the service a second time. Where only its CRD is installed, set stack configuration `pulumi-inference:statusSchema` to `fusioninfer`: what that schema does not have then goes into an annotation. Default: true with `waitFor: "Available"`, else false.',
    ),
};

const ServiceCluster = named(
  "ServiceCluster",
  z.strictObject({
    name: z
      .string()
      .describe("The cluster's name: a DNS label, part of resource names in the program."),
    provider: typed("pulumi.ProviderResource", z.unknown()).describe(
      "The Kubernetes provider of the cluster.",
    ),
    replicas: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe("Replicas by role in this cluster. Default: those of the roles."),
  }),
).describe("A cluster that the service runs in.");

const MultiClusterRoute = named(
  "MultiClusterRoute",
  ImportedPoolSpec.omit({ createNamespace: true }),
).describe(
  "The route of a cluster, as an ImportedInferencePool has it; `local` is the pool of the cluster itself, and a picker's `localCluster` its name. All clusters export, so that the ClusterSet needs `importIntoExporters`.",
);

/** By component. */
export const componentArguments = {
  InferenceService: argumentsOf(
    "InferenceService",
    "The arguments of an InferenceService. Names, counts, accelerators and ports determine which objects are created and must be plain values. Other values of a pod template may be Outputs.",
    serviceFields,
  ),
  LLMServerPool: argumentsOf(
    "LLMServerPool",
    "The arguments of an LLMServerPool.",
    LLMServerPoolSpec.shape,
  ),
  InferencePool: argumentsOf(
    "InferencePool",
    "The arguments of an InferencePool: pods that are there already, behind a picker that takes any model.",
    InferencePoolComponentSpec.shape,
  ),
  SharedEndpointPicker: argumentsOf(
    "SharedEndpointPicker",
    "The arguments of a SharedEndpointPicker.",
    SharedEndpointPickerSpec.shape,
    "Name, labels and annotations, and the namespace, which is the pools'. Default: named like the resource, in `default`.",
  ),
  LLMService: argumentsOf(
    "LLMService",
    "The arguments of an LLMService. Model names, targets and weights are plain; the pools may be Outputs.",
    LLMServiceSpec.shape,
  ),
  InferenceModelRewrite: argumentsOf(
    "InferenceModelRewrite",
    "The arguments of an InferenceModelRewrite.",
    {
      ...ModelRewriteSpec.shape,
      version: RewriteVersion.optional().describe(
        "Version that the cluster serves. `discoverRewriteVersion` asks the cluster. Default: stack configuration `pulumi-inference:rewriteVersion`, else `llm-d.ai/v1alpha2`.",
      ),
    },
  ),
  InferenceObjective: argumentsOf(
    "InferenceObjective",
    "The arguments of an InferenceObjective.",
    ObjectiveSpec.shape,
    "Name, namespace, labels and annotations; requests name it in a header. Default: named like the resource, in `default`.",
  ),
  InferenceRoute: argumentsOf(
    "InferenceRoute",
    "The arguments of an InferenceRoute.",
    InferenceRouteSpec.shape,
  ),
  ModelRouter: argumentsOf(
    "ModelRouter",
    "The arguments of a ModelRouter.",
    ModelRouterSpec.shape,
    "Name, labels, annotations and namespace. The namespace must be the namespace of the Gateway. Default: named like the resource, in `default`.",
  ),
  ModelServing: argumentsOf(
    "ModelServing",
    "The arguments of a ModelServing: the spec of Kthena's kind of that name.",
    ModelServingSpec.shape,
  ),
  InferenceControllers: argumentsOf(
    "InferenceControllers",
    "The arguments of InferenceControllers.",
    ControllersSpec.shape,
    ofPrograms,
  ),
  ImportedInferencePool: argumentsOf(
    "ImportedInferencePool",
    "The arguments of an ImportedInferencePool. Its name and namespace must match the pool in the exporting cluster.",
    ImportedPoolSpec.shape,
    "Name and namespace of the pool. Default: named like the resource, in `default`.",
  ),
  ClusterSet: argumentsOf(
    "ClusterSet",
    "The arguments of a ClusterSet.",
    ClusterSetSpec.shape,
    ofPrograms,
  ),
  ClusterSetMember: argumentsOf(
    "ClusterSetMember",
    "The arguments of a ClusterSetMember.",
    ClusterSetMemberSpec.shape,
    ofPrograms,
  ),
  MultiClusterInferenceService: argumentsOf(
    "MultiClusterInferenceService",
    "The arguments of a MultiClusterInferenceService: the arguments of an InferenceService, and the clusters in which it runs.",
    {
      ...serviceFields,
      clusters: z
        .array(ServiceCluster)
        .describe(
          "The clusters: at least two. Each gets the whole service; a router role is needed.",
        ),
      export: Export.optional().describe(
        "How the clusters reach each other's pools. Default: `EndpointMode`.",
      ),
      route: MultiClusterRoute.optional().describe(
        "The route that each cluster gets, over its own pool and those of the others. Default: none.",
      ),
    },
  ),
};
