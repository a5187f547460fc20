import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { label, manager, pageAudience, statusControllerName } from "../../names.ts";
import type { ControllersSpec } from "../../spec/controllers.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import { recyclePodsFlag } from "../../topology/recycling.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { pagePeers } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { mayRead, planDebugReaders, planMetricsReaders } from "../programs/metrics-auth.ts";
import { metricsAuthRules } from "../programs/rbac-rules.ts";
import { planIdentity } from "../programs/service-account.ts";
import { planRecyclingGuards } from "./admission-policies.ts";
import { metricsAuthArg, planControllerWorkload } from "./controller-workload.ts";
import { planPodPluginWebhook } from "./pod-plugin-webhook.ts";
import {
  recyclingRules,
  statusControllerLeaseRules,
  statusControllerRules,
} from "./status-controller-rbac.ts";

/**
 * Returns the ServiceAccount, roles, Deployment, PodDisruptionBudget and Service of the status controller, in this
 * order, then the webhook for pod plugins if `podPlugins` is set. A cluster needs only one of each.
 */
export function planControllers(
  { metadata, spec }: Parsed<ControllersSpec>,
  { runtimeImage = defaultRuntimeImage }: PlanOptions = {},
): Manifest[] {
  const pods = { image: runtimeImage, ...programPodsOf(spec) };
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  return [
    ...planIdentity(context, statusControllerName, {
      namespace: statusControllerLeaseRules,
      // Pickers' metrics, from which the controller writes the status of LLMServices.
      cluster: [
        ...statusControllerRules,
        ...(spec.recyclesPods ? recyclingRules : []),
        ...metricsAuthRules,
        mayRead("/metrics"),
      ],
    }),
    ...(spec.recyclesPods ? planRecyclingGuards(context) : []),
    ...planMetricsReaders(context, spec.metricsReaders),
    ...planDebugReaders(context, spec.debugReaders),
    ...planControllerWorkload(context, {
      name: statusControllerName,
      program: "status-controller",
      args: [
        `--lease-namespace=${metadata.namespace}`,
        metricsAuthArg(spec.metricsAuth),
        `--picker-token-file=${tokenFolder}/token`,
        ...(spec.recyclesPods ? [recyclePodsFlag] : []),
      ],
      replicas: spec.replicas,
      pods,
      doors: spec.networkPolicy.enabled
        ? [{ from: pagePeers(spec.networkPolicy), ports: [runtimePorts.metrics] }]
        : undefined,
      files: [{ name: "picker-token", mountPath: tokenFolder, source: pickerToken }],
    }),
    ...(spec.podPlugins === undefined
      ? []
      : planPodPluginWebhook(metadata, spec.podPlugins, { ...spec, ...pods })),
  ];
}

const tokenFolder = "/var/run/secrets/pulumi-inference";

/**
 * Token for the pages of pickers. The controller sends it to every pod with a picker's label, so its audience is
 * limited to pages. The kubelet renews it.
 */
const pickerToken = {
  projected: {
    sources: [
      { serviceAccountToken: { audience: pageAudience, expirationSeconds: 3600, path: "token" } },
    ],
  },
};
