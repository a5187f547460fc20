import { z } from "zod";
import { named, output, typed } from "../schemas/argument.ts";
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
import { ServiceObjectivesSpec } from "./service-objectives.ts";
import { SharedEndpointPickerSpec } from "./shared-endpoint-picker.ts";

/**
 * The arguments of each component: the metadata of its objects, the fields of its spec, and additional ones of the
 * component. The types of `components` and the reference pages are generated from them.
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
  "Name, namespace, labels and annotations. Default: the resource's name, in namespace `default`.";
const ofPrograms =
  "Namespace, labels and annotations. The namespace must exist. Default: namespace `default`. The objects' names are fixed.";

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
  "Condition that creating and updating wait for: none, the service's readiness, or the Available condition of its status object.",
);

const serviceFields = {
  ...InferenceServiceSpec.shape,
  waitFor: WaitFor.optional().describe(
    `Whether creating and updating wait until the service is ready: every role has \`minReplicas\` ready replicas with the current template, the endpoint picker's Deployment is available, and a gateway has accepted the route and resolved its pool. Default: false. A service that has started only in part, for example for lack of accelerators, then counts as a success.\n\nPulumi waits for new objects before it deletes old ones. If a new object needs something that an old one occupies, such as the accelerators of a renamed role or the names after a change of \`workload\`, the update waits until it times out. Disable \`waitFor\` for such an update.\n\n\`"Available"\` waits only for the condition Available of the status object, which the status controller sets. Until then, the condition's message lists the missing pods of each role.\n\nA role with one LeaderWorkerSet per replica is ready when its first \`minReplicas\` are ready. Waiting fails after an hour per LeaderWorkerSet, or after the \`customTimeouts\` of the service.`,
  ),
  statusObject: z
    .boolean()
    .optional()
    .describe(
      'Whether to create an object of kind InferenceService in the cluster (`fusioninfer.io/v1alpha1`), in which the status controller reports the state of every role. This project does not deploy anything from the object. Leave it out if FusionInfer\'s operator runs in the cluster, because the operator would deploy the service a second time. If only its CRD is installed, set stack configuration `pulumi-inference:statusSchema` to `fusioninfer`: status that does not fit the CRD is then written to an annotation. Default: true with `waitFor: "Available"`, else false.',
    ),
};

const ServiceCluster = named(
  "ServiceCluster",
  z.strictObject({
    name: z
      .string()
      .describe(
        "Name of the cluster: a DNS label. It becomes part of resource names in the program.",
      ),
    provider: typed("pulumi.ProviderResource", z.unknown(), "pulumi.Inputs[string]").describe(
      "Kubernetes provider of the cluster.",
    ),
    replicas: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe("Replicas in this cluster, by role. Default: the replicas set in the roles."),
  }),
).describe("Cluster that the service runs in.");

const MultiClusterRoute = named(
  "MultiClusterRoute",
  ImportedPoolSpec.omit({ createNamespace: true }),
).describe(
  "Route of a cluster, with the fields of an ImportedInferencePool. `local` is the pool in the same cluster, and `localCluster` of a picker is set to the name of that cluster. All clusters export their pools, so the ClusterSet needs `importIntoExporters`.",
);

/** Arguments of each component. */
export const componentArguments = {
  InferenceService: argumentsOf(
    "InferenceService",
    "Arguments of an InferenceService. Values that decide which objects exist are plain: names, counts, accelerators and ports. Other values of a pod template may be Outputs.",
    serviceFields,
  ),
  LLMServerPool: argumentsOf(
    "LLMServerPool",
    "Arguments of an LLMServerPool: a pool of model servers that LLMServices share.",
    LLMServerPoolSpec.shape,
  ),
  InferencePool: argumentsOf(
    "InferencePool",
    "Arguments of an InferencePool: existing pods behind an endpoint picker that accepts any model.",
    InferencePoolComponentSpec.shape,
  ),
  SharedEndpointPicker: argumentsOf(
    "SharedEndpointPicker",
    "Arguments of a SharedEndpointPicker: one endpoint picker for several pools.",
    SharedEndpointPickerSpec.shape,
    "Name, labels, annotations, and the namespace, which must be the namespace of the pools. Default: the resource's name, in namespace `default`.",
  ),
  LLMService: argumentsOf(
    "LLMService",
    "Arguments of an LLMService: model names that a team serves on pools. Model names, targets and weights are plain; the pools may be Outputs.",
    LLMServiceSpec.shape,
  ),
  InferenceModelRewrite: argumentsOf(
    "InferenceModelRewrite",
    "Arguments of an InferenceModelRewrite: rules that replace the model name of requests to a pool.",
    {
      ...ModelRewriteSpec.shape,
      version: RewriteVersion.optional().describe(
        "API version that the cluster serves. `discoverRewriteVersion` reads it from the cluster. Default: stack configuration `pulumi-inference:rewriteVersion`, else `llm-d.ai/v1alpha2`.",
      ),
    },
  ),
  InferenceObjective: argumentsOf(
    "InferenceObjective",
    "Arguments of an InferenceObjective: a priority that requests name in a header.",
    ObjectiveSpec.shape,
    "Name, namespace, labels and annotations. Requests refer to the name in a header. Default: the resource's name, in namespace `default`.",
  ),
  InferenceRoute: argumentsOf(
    "InferenceRoute",
    "Arguments of an InferenceRoute: a route from a Gateway to pools, by weight.",
    InferenceRouteSpec.shape,
  ),
  ModelRouter: argumentsOf(
    "ModelRouter",
    "Arguments of a ModelRouter: a program that sets the model of each request in headers, for routes.",
    ModelRouterSpec.shape,
    "Name, labels, annotations, and the namespace, which must be the namespace of the Gateway. Default: the resource's name, in namespace `default`.",
  ),
  ServiceObjectives: argumentsOf(
    "ServiceObjectives",
    "Arguments of ServiceObjectives: recording rules, alerts and monitors of a service, for the Prometheus Operator.",
    ServiceObjectivesSpec.shape,
  ),
  ModelServing: argumentsOf(
    "ModelServing",
    "Arguments of a ModelServing, with the spec of Kthena's kind of that name.",
    ModelServingSpec.shape,
  ),
  InferenceControllers: argumentsOf(
    "InferenceControllers",
    "Arguments of InferenceControllers: the status controller and, optionally, the webhook for pod plugins.",
    ControllersSpec.shape,
    ofPrograms,
  ),
  ImportedInferencePool: argumentsOf(
    "ImportedInferencePool",
    "Arguments of an ImportedInferencePool: a route to a pool that another cluster exports. Its name and namespace equal the pool's in the exporting cluster.",
    ImportedPoolSpec.shape,
    "Name and namespace of the pool. Default: the resource's name, in namespace `default`.",
  ),
  ClusterSet: argumentsOf(
    "ClusterSet",
    "Arguments of a ClusterSet: clusters that export pools to each other, and the controller that writes the imports.",
    ClusterSetSpec.shape,
    ofPrograms,
  ),
  ClusterSetMember: argumentsOf(
    "ClusterSetMember",
    "Arguments of a ClusterSetMember: the identity and permissions of a ClusterSet's controller in a member.",
    ClusterSetMemberSpec.shape,
    ofPrograms,
  ),
  MultiClusterInferenceService: argumentsOf(
    "MultiClusterInferenceService",
    "Arguments of a MultiClusterInferenceService: the arguments of an InferenceService, and the clusters that it runs in.",
    {
      ...serviceFields,
      clusters: z
        .array(ServiceCluster)
        .describe(
          "Clusters that the service runs in: at least two. Each runs the whole service. The service needs a router role.",
        ),
      export: Export.optional().describe(
        "How the clusters reach each other's pools. Default: `EndpointMode`.",
      ),
      route: MultiClusterRoute.optional().describe(
        "Route that is created in each cluster, over its own pool and the pools of the other clusters. Default: none.",
      ),
    },
  ),
};
