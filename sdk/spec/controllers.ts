import { z } from "zod";
import { namespaceName, objectName } from "../../kubernetes/kinds/field-types.ts";
import { NetworkPolicyArgument } from "./network-policy.ts";
import { programPodFields } from "./program-pods.ts";

const { image: _imageOfControllers, ...webhookPodFields } = programPodFields;

/** What pod plugins that run in the cluster are run with. */
export const PodPluginRunner = z.strictObject({
  /** Pods of the webhook; pods with plugins wait while none of them answers. */
  replicas: z.int32().min(0).default(2),
  /** Where left out, as those of the status controller; but for resources and the disruption budget. */
  ...webhookPodFields,
  /** HTTPS URLs that plugins of type Webhook may call; one that ends in / stands for all below it. Default: off. */
  webhookUrls: z
    .array(z.string().startsWith("https://", { error: "an https URL" }))
    .min(1)
    .optional(),
  /** Modules of the image whose default export is a list of plugins. */
  pluginModules: z.array(z.string().min(1)).min(1).optional(),
  /**
   * ConfigMap with key `ca.crt`: API servers show a certificate of these CAs, and nobody else is answered. Default:
   * whoever reaches the port is.
   */
  clientCaConfigMap: objectName.optional(),
  /** Users that make the pods of LeaderWorkerSets. Default: Kubernetes' controller of StatefulSets. */
  podCreators: z
    .array(z.string().regex(/^[^,\s]+$/))
    .min(1)
    .optional(),
});

/** What the controllers of this project run with. */
export const ControllersSpec = z.strictObject({
  /** Pods of the status controller; one leads, the others stand by. */
  replicas: z.int32().min(0).default(1),
  /** Whether the pages of the controllers ask for a token that may read them. */
  metricsAuth: z.boolean().default(true),
  networkPolicy: NetworkPolicyArgument,
  /** ServiceAccounts, such as that of a Prometheus, that may read the metrics of every program of this project. */
  metricsReaders: z
    .array(z.strictObject({ name: objectName, namespace: namespaceName }))
    .max(64)
    .default([]),
  ...programPodFields,
  /** Runs pod plugins in the cluster. Default: none are. */
  podPlugins: PodPluginRunner.optional(),
});

export type ControllersSpec = z.infer<typeof ControllersSpec>;
export type PodPluginRunner = z.infer<typeof PodPluginRunner>;
