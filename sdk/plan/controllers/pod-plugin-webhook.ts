import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { label, manager, podPluginConfigurationName, podPluginWebhookName } from "../../names.ts";
import type { ControllersSpec, PodPluginRunner } from "../../spec/controllers.ts";
import type { Metadata } from "../../spec/inference-service.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import { type ProgramPods, programPodsOf } from "../../spec/program-pods.ts";
import { podPluginWebhookPort, runtimePorts } from "../../topology/runtime-ports.ts";
import { type Door, fromNetworks, pagePeers } from "../network-policy.ts";
import { clusterObjectMeta, type PlanContext } from "../object-meta.ts";
import type { MountedFiles } from "../programs/mounted-files.ts";
import { metricsAuthRules } from "../programs/rbac-rules.ts";
import { planIdentity } from "../programs/service-account.ts";
import { planWebhookGuards } from "./admission-policies.ts";
import { metricsAuthArg, planControllerWorkload } from "./controller-workload.ts";
import { podPluginWebhookOwnRules, podPluginWebhookRules } from "./pod-plugin-webhook-rbac.ts";

/** Time in seconds that the API server waits for a review: the slowest single call, plus time for further calls. */
const reviewTimeout = 15;

/**
 * Returns the webhook for pod plugins: ServiceAccount, roles, Deployment, budget, Service and
 * MutatingWebhookConfiguration, in this order. API servers trust the webhook after its leader has written the
 * certificate into the configuration.
 */
export function planPodPluginWebhook(
  metadata: Metadata,
  spec: PodPluginRunner,
  controllers: ProgramPods & Pick<ControllersSpec, "metricsAuth" | "networkPolicy">,
): Manifest[] {
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  return [
    ...planIdentity(context, podPluginWebhookName, {
      namespace: podPluginWebhookOwnRules,
      cluster: [...podPluginWebhookRules, ...metricsAuthRules],
    }),
    ...planWebhookGuards(context),
    ...planControllerWorkload(context, {
      name: podPluginWebhookName,
      program: "pod-plugin-webhook",
      args: [...argumentsOf(metadata, spec), metricsAuthArg(controllers.metricsAuth)],
      replicas: spec.replicas,
      pods: podsOf(spec, programPodsOf(controllers)),
      doors: controllers.networkPolicy.enabled ? doorsOf(controllers.networkPolicy) : undefined,
      files: filesOf(spec),
      serves: {
        name: "webhook",
        serviceName: "https",
        port: 443,
        containerPort: podPluginWebhookPort,
      },
    }),
    configuration(context),
  ];
}

/** The API server does not run in a pod, so only the `networks` of the policy can identify it. */
const doorsOf = (policy: NetworkPolicyArgument): Door[] => [
  { from: policy.networks && fromNetworks(policy.networks), ports: [podPluginWebhookPort] },
  { from: pagePeers(policy), ports: [runtimePorts.metrics] },
];

/**
 * Returns the pod settings of the webhook. Placement defaults to the placement of the status controller; resources and
 * the budget are set separately.
 */
function podsOf(spec: PodPluginRunner, controllers: ProgramPods): ProgramPods {
  const { resources: _resources, podDisruptionBudget: _budget, ...shared } = controllers;
  return { ...shared, ...programPodsOf(spec) };
}

const argumentsOf = (
  { namespace }: Metadata,
  { webhookUrls, pluginModules, clientCaConfigMap, podCreators }: PodPluginRunner,
): string[] => [
  `--namespace=${namespace}`,
  ...(webhookUrls === undefined
    ? []
    : ["--enable-webhook-plugins", `--webhook-plugin-urls=${webhookUrls.join(",")}`]),
  ...(pluginModules === undefined ? [] : [`--plugin-modules=${pluginModules.join(",")}`]),
  ...(clientCaConfigMap === undefined ? [] : [`--client-ca-file=${clientAuthorities}/ca.crt`]),
  ...(podCreators === undefined ? [] : [`--pod-creators=${podCreators.join(",")}`]),
];

const clientAuthorities = "/certificates/clients";

const filesOf = ({ clientCaConfigMap: name }: PodPluginRunner): MountedFiles[] =>
  name === undefined
    ? []
    : [
        {
          name: "client-authorities",
          mountPath: clientAuthorities,
          source: { configMap: { name } },
        },
      ];

/**
 * Contains two webhooks: one with failurePolicy Fail, for pods that must not be created without their plugins, and one
 * with Ignore. Pods without the label are not sent to either.
 */
const configuration = (context: PlanContext): Manifest => ({
  apiVersion: kinds.MutatingWebhookConfiguration.apiVersion,
  kind: "MutatingWebhookConfiguration",
  metadata: clusterObjectMeta(context, podPluginConfigurationName),
  webhooks: (["Fail", "Ignore"] as const).map((failurePolicy) => ({
    name: `${failurePolicy.toLowerCase()}.pod-plugins.pulumi-inference`,
    admissionReviewVersions: ["v1"],
    clientConfig: {
      service: {
        name: podPluginWebhookName,
        namespace: context.metadata.namespace,
        path: "/mutate-pods",
        port: 443,
      },
    },
    rules: [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["pods"],
        scope: "Namespaced",
      },
    ],
    objectSelector: { matchLabels: { [label.podPlugins]: failurePolicy } },
    failurePolicy,
    matchPolicy: "Equivalent",
    // LeaderWorkerSet's webhook labels pods. With IfNeeded each webhook sees the changes of the other, in either order.
    reinvocationPolicy: "IfNeeded",
    // Writes events for plugins that failed.
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: reviewTimeout,
  })),
});
