import { z } from "zod";
import {
  count,
  namespaceName,
  nonEmptyText,
  objectName,
} from "../../kubernetes/kinds/field-types.ts";
import { named, offByDefault, onByDefault } from "../schemas/argument.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { programPodFields } from "./program-pods.ts";

const { image: _imageOfControllers, ...webhookPodFields } = programPodFields;

export const PodPluginRunner = named(
  "PodPluginRunner",
  z.strictObject({
    replicas: count
      .default(2)
      .describe(
        "Pods of the webhook. If none of them responds, pods with plugins are not created.",
      ),
    ...webhookPodFields,
    webhookUrls: z
      .array(z.string().startsWith("https://", { error: "an https URL" }))
      .min(1)
      .optional()
      .describe(
        "HTTPS URLs that plugins of type Webhook may call. A URL that ends in / allows all paths below it. Default: none.",
      ),
    pluginModules: z
      .array(nonEmptyText)
      .min(1)
      .optional()
      .describe("Modules in the image whose default export is a list of plugins. Default: none."),
    clientCaConfigMap: objectName
      .optional()
      .describe(
        "ConfigMap with key `ca.crt`, in the namespace of the controllers. The webhook accepts only API servers that present a certificate of these CAs. Default: any client that reaches the port is accepted.",
      ),
    podCreators: z
      .array(z.string().regex(/^[^,\s]+$/, "a user name without commas and spaces"))
      .min(1)
      .optional()
      .describe(
        "Users that create the pods of LeaderWorkerSets; the pods of other users get no plugins. Default: Kubernetes' StatefulSet controller, `system:serviceaccount:kube-system:statefulset-controller` and `system:kube-controller-manager`.",
      ),
  }),
).describe(
  "Settings of the pod plugins that run in the cluster. The webhook's pods are scheduled like the status controller's unless set here. The webhook has its own resources and disruption budget.",
);

const account = () =>
  z.strictObject({
    name: objectName.describe("Name of the ServiceAccount."),
    namespace: namespaceName.describe("Namespace of the ServiceAccount."),
  });

const MetricsReader = named("MetricsReader", account()).describe(
  "ServiceAccount that may read metrics.",
);

const DebugReader = named("DebugReader", account()).describe(
  "ServiceAccount that may read debug pages.",
);

/** Settings of this project's controllers. */
export const ControllersSpec = z.strictObject({
  replicas: count
    .default(1)
    .describe(
      "Pods of the status controller. One pod is the leader, and the other pods are on standby.",
    ),
  metricsAuth: onByDefault(
    "Whether the controllers' pages require a bearer token with permission to read them. This needs ClusterRoles.",
  ),
  recyclesPods: offByDefault(
    "Whether the status controller deletes failing prefillers and decoders of services whose `resilience.recycle` allows it. This grants it the right to delete such pods, and no others, in the whole cluster. The admission policy that restricts the right needs Kubernetes 1.30 or later.",
  ),
  networkPolicy: NetworkPolicyArgument.describe(
    "Peers that may open connections to the controllers. Default: only the peers that need to.",
  ),
  metricsReaders: z
    .array(MetricsReader)
    .max(64)
    .default([])
    .describe(
      "ServiceAccounts, such as the ServiceAccount of Prometheus, that may read the metrics of every program of this project.",
    ),
  debugReaders: z
    .array(DebugReader)
    .max(64)
    .default([])
    .describe(
      "ServiceAccounts, such as the ServiceAccount of an operator, that may read the debug pages of every program of this project, as `pulumi-inference explain --request-id` does. The pages contain the ids, models and users of requests.",
    ),
  ...programPodFields,
  podPlugins: PodPluginRunner.optional().describe(
    "Runs pod plugins in the cluster: plugins of type Webhook, and plugins that run for each pod or when a pod is ready. Default: no plugins run in the cluster.",
  ),
});

export type ControllersSpec = z.infer<typeof ControllersSpec>;
export type PodPluginRunner = z.infer<typeof PodPluginRunner>;
