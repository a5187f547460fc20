import type { Manifest } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import type { PodPluginRunner } from "../spec/controllers.ts";
import type { Metadata } from "../spec/inference-service.ts";
import {
  label,
  manager,
  podPluginConfigurationName,
  podPluginWebhookName,
} from "../topology/names.ts";
import { canonicalResources } from "./canonical-quantities.ts";
import { planIdentity } from "./identity.ts";
import { clusterObjectMeta, objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerPorts } from "./picker-ports.ts";
import { podPluginWebhookPort } from "./pod-plugin-webhook-port.ts";
import { podPluginWebhookOwnRules, podPluginWebhookRules } from "./pod-plugin-webhook-rbac.ts";
import { restrictedContainer, restrictedPod } from "./pod-security.ts";

/** Seconds that the API server waits for a review: those of the slowest single call, and some for the others. */
const reviewTimeout = 15;

/**
 * The webhook for pod plugins: ServiceAccount, roles, Deployment, Service and MutatingWebhookConfiguration, in this order.
 * API servers trust it once its leader has written the certificate into the configuration.
 */
export function planPodPluginWebhook(
  metadata: Metadata,
  spec: PodPluginRunner,
  image: unknown,
): Manifest[] {
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  return [
    ...planIdentity(context, podPluginWebhookName, {
      namespace: podPluginWebhookOwnRules,
      cluster: podPluginWebhookRules,
    }),
    deployment(context, spec, image),
    service(context),
    configuration(context),
  ];
}

const podLabels = { [label.app]: podPluginWebhookName };

function deployment(context: PlanContext, spec: PodPluginRunner, image: unknown): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: objectMeta(context, podPluginWebhookName, podLabels),
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: podLabels },
      template: {
        metadata: { labels: podLabels },
        spec: {
          serviceAccountName: podPluginWebhookName,
          securityContext: restrictedPod,
          containers: [container(context, spec, image)],
        },
      },
    },
  };
}

function container({ metadata }: PlanContext, spec: PodPluginRunner, image: unknown) {
  const health = { grpc: { port: endpointPickerPorts.health } };
  const { webhookUrls, pluginModules, resources } = spec;
  return present({
    name: "pod-plugin-webhook",
    image,
    args: [
      "pod-plugin-webhook",
      `--namespace=${metadata.namespace}`,
      ...(webhookUrls === undefined
        ? []
        : ["--enable-webhook-plugins", `--webhook-plugin-urls=${webhookUrls.join(",")}`]),
      ...(pluginModules === undefined ? [] : [`--plugin-modules=${pluginModules.join(",")}`]),
    ],
    ports: [
      { name: "webhook", containerPort: podPluginWebhookPort, protocol: "TCP" },
      { name: "grpc-health", containerPort: endpointPickerPorts.health, protocol: "TCP" },
      { name: "metrics", containerPort: endpointPickerPorts.metrics, protocol: "TCP" },
    ],
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    resources: resources && canonicalResources(resources),
    livenessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 10 },
    readinessProbe: {
      grpc: { ...health.grpc, service: "readiness" },
      initialDelaySeconds: 2,
      periodSeconds: 5,
    },
    securityContext: restrictedContainer,
  });
}

const service = (context: PlanContext): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: objectMeta(context, podPluginWebhookName),
  spec: {
    type: "ClusterIP",
    selector: podLabels,
    ports: [
      { name: "https", port: 443, targetPort: podPluginWebhookPort, protocol: "TCP" },
      {
        name: "http-metrics",
        port: endpointPickerPorts.metrics,
        targetPort: endpointPickerPorts.metrics,
        protocol: "TCP",
        appProtocol: "http",
      },
    ],
  },
});

/** One webhook for pods that are not made without their plugins, one for those that are. Other pods never meet it. */
const configuration = (context: PlanContext): Manifest => ({
  apiVersion: "admissionregistration.k8s.io/v1",
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
    // LeaderWorkerSet's webhook labels pods; whoever comes first, both have seen the other's work.
    reinvocationPolicy: "IfNeeded",
    // Events of plugins that failed.
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: reviewTimeout,
  })),
});
