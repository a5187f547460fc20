import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressOf } from "../../../kubernetes/kinds/kind.ts";
import { allow } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
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

const modelServings = modelServingVersions.map((version) =>
  addressOf(unplanned.ModelServing, version),
);

/** In the whole cluster. */
export const podPluginWebhookRules = [
  allow(["get", "list", "watch"], [unplanned.Pod]),
  // Its status can be patched without the pod itself; a policy lets one annotation change (`planWebhookGuards`).
  allow(["patch"], [unplanned.Pod], { subresource: "status" }),
  allow(["create", "get", "list", "watch", "patch"], [unplanned.Event]),
  // They tell the plugins of their pods. `get` for one that was made a moment ago.
  allow(["get", "list", "watch"], [kinds.LeaderWorkerSet]),
  // For the condition PluginsApplied.
  allow(["get"], [kinds.InferenceService]),
  allow(["patch"], [kinds.InferenceService], { subresource: "status" }),
  allow(["get"], modelServings),
  allow(["patch"], modelServings, { subresource: "status" }),
  allow(["get", "patch"], [kinds.MutatingWebhookConfiguration], {
    names: [podPluginConfigurationName],
  }),
];

/** In the webhook's own namespace: its certificate, and leader election. */
export const podPluginWebhookOwnRules = [
  allow(["create"], [kinds.Secret]),
  allow(["get", "update"], [kinds.Secret], { names: [podPluginSecretName] }),
  allow(["create"], [unplanned.Lease]),
  allow(["get", "update"], [unplanned.Lease], { names: [podPluginWebhookName] }),
];
