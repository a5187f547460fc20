import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressOf } from "../../../kubernetes/kinds/kind.ts";
import { allow } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import {
  podPluginConfigurationName,
  podPluginSecretName,
  podPluginWebhookName,
} from "../../names.ts";
import { modelServingVersions } from "../../spec/model-serving.ts";

/**
 * Permissions of the webhook for pod plugins: reading plugins, annotating pods whose hooks have run, writing events,
 * and managing its certificate. The plan and the webhook's tests share these rules; the tests check that they suffice.
 */

const modelServings = modelServingVersions.map((version) =>
  addressOf(unplanned.ModelServing, version),
);

/** Rules for the whole cluster. */
export const podPluginWebhookRules = [
  allow(["get", "list", "watch"], [unplanned.Pod]),
  // Patches the pod's status subresource only. A policy permits only one annotation to change (`planWebhookGuards`).
  allow(["patch"], [unplanned.Pod], { subresource: "status" }),
  allow(["create", "get", "list", "watch", "patch"], [unplanned.Event]),
  // LeaderWorkerSets list the plugins of their pods. `get` is for a set that was created a moment ago.
  allow(["get", "list", "watch"], [kinds.LeaderWorkerSet]),
  // Updates the condition PluginsApplied.
  allow(["get"], [kinds.InferenceService]),
  allow(["patch"], [kinds.InferenceService], { subresource: "status" }),
  allow(["get"], modelServings),
  allow(["patch"], modelServings, { subresource: "status" }),
  allow(["get", "patch"], [kinds.MutatingWebhookConfiguration], {
    names: [podPluginConfigurationName],
  }),
];

/** Rules for the namespace of the webhook: its certificate, and leader election. */
export const podPluginWebhookOwnRules = [
  allow(["create"], [kinds.Secret]),
  allow(["get", "update"], [kinds.Secret], { names: [podPluginSecretName] }),
  allow(["create"], [unplanned.Lease]),
  allow(["get", "update"], [unplanned.Lease], { names: [podPluginWebhookName] }),
];
