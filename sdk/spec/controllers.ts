import { z } from "zod";
import { namespaceName, objectName } from "../../kubernetes/kinds/field-types.ts";
import { named } from "./argument.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { programPodFields } from "./program-pods.ts";

const { image: _imageOfControllers, ...webhookPodFields } = programPodFields;

export const PodPluginRunner = named(
  "PodPluginRunner",
  z.strictObject({
    replicas: z
      .int32()
      .min(0)
      .default(2)
      .describe("Pods of the webhook; pods with plugins wait while none of them answers."),
    ...webhookPodFields,
    webhookUrls: z
      .array(z.string().startsWith("https://", { error: "an https URL" }))
      .min(1)
      .optional()
      .describe(
        "HTTPS URLs that plugins of type Webhook may call; one that ends in / stands for all below it. Default: none may be called.",
      ),
    pluginModules: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe("Modules of the image whose default export is a list of plugins. Default: none."),
    clientCaConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key `ca.crt`, in the namespace of the controllers: API servers show a certificate of these CAs, and nobody else is answered. Default: whoever reaches the port is answered.",
      ),
    podCreators: z
      .array(z.string().regex(/^[^,\s]+$/, "a user name without commas and spaces"))
      .min(1)
      .optional()
      .describe(
        "Users that make the pods of LeaderWorkerSets; pods of others get no plugins. Default: Kubernetes' controller of StatefulSets, `system:serviceaccount:kube-system:statefulset-controller` and `system:kube-controller-manager`.",
      ),
  }),
).describe(
  "What pod plugins that run in the cluster are run with. The webhook's pods are placed as those of the status controller unless something else is said here; resources and disruption budget are its own.",
);

const account = () =>
  z.strictObject({
    name: objectName.describe("Name of the ServiceAccount."),
    namespace: namespaceName.describe("Namespace of the ServiceAccount."),
  });

const MetricsReader = named("MetricsReader", account()).describe(
  "A ServiceAccount that may read metrics.",
);

const DebugReader = named("DebugReader", account()).describe(
  "A ServiceAccount that may read debug pages.",
);

/** What the controllers of this project run with. */
export const ControllersSpec = z.strictObject({
  replicas: z
    .int32()
    .min(0)
    .default(1)
    .describe("Pods of the status controller; one leads, the others stand by."),
  metricsAuth: z
    .boolean()
    .default(true)
    .describe(
      "Whether the pages of the controllers ask for a token that may read them, which needs ClusterRoles.",
    ),
  recyclesPods: z
    .boolean()
    .default(false)
    .describe(
      "Whether the status controller deletes prefillers and decoders that fail, of services whose `resilience.recycle` allows it. It may then delete such pods, and no others, in the whole cluster; the policy that says so needs Kubernetes 1.30 or later.",
    ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Who may open connections to the controllers. Default: those who have to.",
  ),
  metricsReaders: z
    .array(MetricsReader)
    .max(64)
    .default([])
    .describe(
      "ServiceAccounts, such as that of a Prometheus, that may read the metrics of every program of this project.",
    ),
  debugReaders: z
    .array(DebugReader)
    .max(64)
    .default([])
    .describe(
      "ServiceAccounts, such as that of an operator, that may read the debug pages of every program of this project, as `pulumi-inference explain --request-id` does. They tell ids, models and users of requests.",
    ),
  ...programPodFields,
  podPlugins: PodPluginRunner.optional().describe(
    "Runs pod plugins in the cluster: Webhooks, and those that run on each pod or when it is ready. Default: none run.",
  ),
});

export type ControllersSpec = z.infer<typeof ControllersSpec>;
export type PodPluginRunner = z.infer<typeof PodPluginRunner>;
