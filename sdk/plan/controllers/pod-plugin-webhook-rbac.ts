import { modelServingVersions } from "../../spec/model-serving.ts";
import {
  podPluginConfigurationName,
  podPluginSecretName,
  podPluginWebhookName,
} from "../../topology/names.ts";

/**
 * What the webhook for pod plugins may do: read plugins, note on pods that hooks have run, write events, and keep its own
 * certificate. The rules stand here once: the plan grants them, and the webhook's tests prove that they suffice.
 */

/** API groups of ModelServing. */
const modelServingGroups = modelServingVersions.map((version) => version.split("/")[0] ?? "");

/** In the whole cluster. */
export const podPluginWebhookRules = [
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
  // Its status can be patched without the pod itself; a policy lets one annotation change (`planWebhookGuards`).
  { apiGroups: [""], resources: ["pods/status"], verbs: ["patch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "get", "list", "watch", "patch"] },
  {
    apiGroups: ["leaderworkerset.x-k8s.io"],
    resources: ["leaderworkersets"],
    // They tell the plugins of their pods. `get` for one that was made a moment ago.
    verbs: ["get", "list", "watch"],
  },
  // For the condition PluginsApplied.
  { apiGroups: ["fusioninfer.io"], resources: ["inferenceservices"], verbs: ["get"] },
  { apiGroups: ["fusioninfer.io"], resources: ["inferenceservices/status"], verbs: ["patch"] },
  { apiGroups: modelServingGroups, resources: ["modelservings"], verbs: ["get"] },
  { apiGroups: modelServingGroups, resources: ["modelservings/status"], verbs: ["patch"] },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations"],
    resourceNames: [podPluginConfigurationName],
    verbs: ["get", "patch"],
  },
];

/** In the webhook's own namespace: its certificate, and leader election. */
export const podPluginWebhookOwnRules = [
  { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
  {
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: [podPluginSecretName],
    verbs: ["get", "update"],
  },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [podPluginWebhookName],
    verbs: ["get", "update"],
  },
];
