import type { Manifest } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import type { ControllersSpec } from "../spec/controllers.ts";
import { label, manager, statusControllerName } from "../topology/names.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { canonicalResources } from "./canonical-quantities.ts";
import { defaultEndpointPickerImage } from "./endpoint-picker.ts";
import { planIdentity } from "./identity.ts";
import type { PlanOptions } from "./inference-service.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerPorts } from "./picker-ports.ts";
import { planPodPluginWebhook } from "./pod-plugin-webhook.ts";
import { restrictedContainer, restrictedPod } from "./pod-security.ts";
import { statusControllerLeaseRules, statusControllerRules } from "./status-controller-rbac.ts";

/**
 * ServiceAccount, roles, Deployment and Service of the status controller, in this order, then the webhook for pod
 * plugins where it is asked for. One is enough for a cluster.
 */
export function planControllers(
  { metadata, spec }: Parsed<ControllersSpec>,
  { endpointPickerImage = defaultEndpointPickerImage }: PlanOptions = {},
): Manifest[] {
  const context: PlanContext = { metadata, owner: { [label.managedBy]: manager } };
  return [
    ...planIdentity(context, statusControllerName, {
      namespace: statusControllerLeaseRules,
      cluster: statusControllerRules,
    }),
    deployment(context, spec, spec.image ?? endpointPickerImage),
    service(context),
    ...(spec.podPlugins === undefined
      ? []
      : planPodPluginWebhook(metadata, spec.podPlugins, spec.image ?? endpointPickerImage)),
  ];
}

const podLabels = { [label.app]: statusControllerName };

function deployment(context: PlanContext, spec: ControllersSpec, image: unknown): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: objectMeta(context, statusControllerName, podLabels),
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: podLabels },
      template: {
        metadata: { labels: podLabels },
        spec: {
          serviceAccountName: statusControllerName,
          securityContext: restrictedPod,
          containers: [container(context, spec, image)],
        },
      },
    },
  };
}

function container({ metadata }: PlanContext, spec: ControllersSpec, image: unknown) {
  const health = { grpc: { port: endpointPickerPorts.health } };
  return present({
    name: "status-controller",
    image,
    args: ["status-controller", `--lease-namespace=${metadata.namespace}`],
    ports: [
      { name: "grpc-health", containerPort: endpointPickerPorts.health, protocol: "TCP" },
      { name: "metrics", containerPort: endpointPickerPorts.metrics, protocol: "TCP" },
    ],
    env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    resources: spec.resources && canonicalResources(spec.resources),
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
  metadata: objectMeta(context, statusControllerName),
  spec: {
    type: "ClusterIP",
    selector: podLabels,
    ports: [
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
