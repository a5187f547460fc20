import type { Manifest } from "../kubernetes/manifest.ts";
import type { ControllersSpec } from "../spec/controllers.ts";
import { programPodsOf } from "../spec/program-pods.ts";
import { label, manager, statusControllerName } from "../topology/names.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { planControllerWorkload } from "./controller-workload.ts";
import { defaultEndpointPickerImage } from "./endpoint-picker.ts";
import { planIdentity } from "./identity.ts";
import type { PlanOptions } from "./inference-service.ts";
import type { PlanContext } from "./object-meta.ts";
import { planPodPluginWebhook } from "./pod-plugin-webhook.ts";
import { statusControllerLeaseRules, statusControllerRules } from "./status-controller-rbac.ts";

/**
 * ServiceAccount, roles, Deployment, PodDisruptionBudget and Service of the status controller, in this order, then the webhook for pod
 * plugins where it is asked for. One is enough for a cluster.
 */
export function planControllers(
  { metadata, spec }: Parsed<ControllersSpec>,
  { endpointPickerImage = defaultEndpointPickerImage }: PlanOptions = {},
): Manifest[] {
  const pods = { image: endpointPickerImage, ...programPodsOf(spec) };
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  return [
    ...planIdentity(context, statusControllerName, {
      namespace: statusControllerLeaseRules,
      cluster: statusControllerRules,
    }),
    ...planControllerWorkload(context, {
      name: statusControllerName,
      program: "status-controller",
      args: [`--lease-namespace=${metadata.namespace}`],
      replicas: spec.replicas,
      pods,
    }),
    ...(spec.podPlugins === undefined ? [] : planPodPluginWebhook(metadata, spec.podPlugins, pods)),
  ];
}
