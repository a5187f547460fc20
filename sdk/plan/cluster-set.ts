import type { Manifest } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import type { ClusterSetSpec } from "../spec/cluster-set.ts";
import {
  annotation,
  clusterSetMembersName,
  clusterSetTokenName,
  multiClusterControllerName as controller,
  label,
  manager,
} from "../topology/names.ts";
import type { ClusterSetMemberSpec } from "../validate/cluster-set.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { canonicalResources } from "./canonical-quantities.ts";
import { defaultEndpointPickerImage } from "./endpoint-picker.ts";
import { planIdentity } from "./identity.ts";
import type { PlanOptions } from "./inference-service.ts";
import { multiClusterHubRules, multiClusterMemberRules } from "./multi-cluster-rbac.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerPorts } from "./picker-ports.ts";
import { restrictedContainer, restrictedPod } from "./pod-security.ts";
import { digest } from "./revision.ts";

const contextOf = (metadata: PlanContext["metadata"]): PlanContext => ({
  metadata,
  owner: { [label.managedBy]: manager },
});

/**
 * The controller's identity in a member: ServiceAccount, ClusterRole, binding, and a lasting token where asked for. The
 * kubeconfig that names it goes into a Secret beside the controller.
 */
export function planClusterSetMember({ metadata, spec }: Parsed<ClusterSetMemberSpec>): Manifest[] {
  const context = contextOf(metadata);
  return [
    ...planIdentity(context, controller, { cluster: multiClusterMemberRules }),
    ...(spec.token ? [token(context)] : []),
  ];
}

/** A token that lasts; Kubernetes fills it in. */
function token(context: PlanContext): Manifest {
  const meta = objectMeta(context, clusterSetTokenName);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...meta,
      annotations: { ...meta.annotations, "kubernetes.io/service-account.name": controller },
    },
    type: "kubernetes.io/service-account-token",
  };
}

/** The controller of a set, in the hub: account, Lease's role, members, Deployment and Service, in this order. */
export function planClusterSet(
  { metadata, spec }: Parsed<ClusterSetSpec>,
  { endpointPickerImage = defaultEndpointPickerImage }: PlanOptions = {},
): Manifest[] {
  const context = contextOf(metadata);
  return [
    ...planIdentity(context, controller, { namespace: multiClusterHubRules }),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: objectMeta(context, clusterSetMembersName),
      data: { "members.yaml": membersFile(spec) },
    },
    deployment(context, spec, spec.image ?? endpointPickerImage),
    service(context),
  ];
}

const membersFolder = "/etc/cluster-set";
const kubeconfigFolder = "/var/run/members";

/** JSON is YAML, and no writer's style changes it. */
const membersFile = ({ members }: ClusterSetSpec): string =>
  `${JSON.stringify(
    {
      members: members.map(({ name, context }) =>
        present({ name, kubeconfig: `${kubeconfigFolder}/${name}/kubeconfig`, context }),
      ),
    },
    null,
    2,
  )}\n`;

const podLabels = { [label.app]: controller };

function deployment(context: PlanContext, spec: ClusterSetSpec, image: unknown): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: objectMeta(context, controller, podLabels),
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: podLabels },
      template: {
        metadata: {
          labels: podLabels,
          annotations: { [annotation.configChecksum]: digest(membersFile(spec)) },
        },
        spec: {
          serviceAccountName: controller,
          securityContext: restrictedPod,
          containers: [container(context, spec, image)],
          volumes: [
            { name: "members", configMap: { name: clusterSetMembersName } },
            { name: "kubeconfigs", projected: { sources: spec.members.map(kubeconfigOf) } },
          ],
        },
      },
    },
  };
}

const kubeconfigOf = ({ name, kubeconfigSecret, key }: ClusterSetSpec["members"][number]) => ({
  secret: { name: kubeconfigSecret, items: [{ key, path: `${name}/kubeconfig` }] },
});

function container({ metadata }: PlanContext, spec: ClusterSetSpec, image: unknown) {
  const health = { grpc: { port: endpointPickerPorts.health } };
  return present({
    name: "multi-cluster-controller",
    image,
    args: [
      "multi-cluster-controller",
      `--members-file=${membersFolder}/members.yaml`,
      `--lease-namespace=${metadata.namespace}`,
      `--import-into-exporters=${spec.importIntoExporters}`,
      `--drain=${spec.drain}`,
      ...(spec.staleAfter === undefined ? [] : [`--stale-after=${spec.staleAfter}`]),
      ...(spec.controllerName === undefined ? [] : [`--controller-name=${spec.controllerName}`]),
    ],
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
    volumeMounts: [
      { name: "members", mountPath: membersFolder, readOnly: true },
      { name: "kubeconfigs", mountPath: kubeconfigFolder, readOnly: true },
    ],
  });
}

const service = (context: PlanContext): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: objectMeta(context, controller),
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
