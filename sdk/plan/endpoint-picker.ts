import type { Manifest, ObjectMeta } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import type { Export } from "../spec/export.ts";
import type { ProgramPods } from "../spec/program-pods.ts";
import {
  annotation,
  endpointPickerConfigName,
  endpointPickerName,
  label,
  metricsAuthName,
} from "../topology/names.ts";
import { version } from "../version.ts";
import { exportArgs, exportFiles, planExportPolicy } from "./export.ts";
import { planIdentity } from "./identity.ts";
import { type MountedFiles, mountsOf, volumesOf } from "./mounted-files.ts";
import { annotated, clusterObjectMeta, objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerPorts } from "./picker-ports.ts";
import type { PickerTask } from "./picker-task.ts";
import { restrictedContainer, restrictedPod } from "./pod-security.ts";
import { planDisruptionBudget, programPlacement, programResources } from "./program-pods.ts";
import { metricsAuthRules } from "./rbac.ts";
import { digest } from "./revision.ts";

/** This project's runtime image; its entry point is the picker when the first argument is a flag. */
export const defaultEndpointPickerImage = `ghcr.io/pulumi-inference/pulumi-inference:${version}`;

/** What an endpoint picker runs with. */
export interface EndpointPickerPlacement {
  readonly task: PickerTask;
  readonly replicas: number;
  readonly pods: ProgramPods;
  /** Whether /metrics asks for a token that may read it. */
  readonly metricsAuth: boolean;
  readonly scheduling: Scheduling;
  /** Other clusters ask this picker. */
  readonly exported?: Export | undefined;
}

interface Scheduling {
  readonly schedulerName?: string | undefined;
  readonly priorityClassName?: string | undefined;
}

/** ServiceAccount, RBAC, ConfigMap, Deployment, PodDisruptionBudget and Service of an endpoint picker, in this order. */
export function planEndpointPicker(
  context: PlanContext,
  placement: EndpointPickerPlacement,
): Manifest[] {
  return [
    ...planIdentity(context, endpointPickerName(context.metadata.name), {
      namespace: placement.task.rules,
    }),
    ...(placement.metricsAuth ? metricsAuth(context) : []),
    ...configMap(context, placement.task),
    deployment(context, placement),
    ...planDisruptionBudget(
      context,
      endpointPickerName(context.metadata.name),
      podLabels(context),
      { ...placement.pods, replicas: placement.replicas },
    ),
    service(context, placement.exported),
    ...(placement.exported === undefined ? [] : [planExportPolicy(context, placement.exported)]),
  ];
}

const meta = (context: PlanContext): ObjectMeta =>
  objectMeta(context, endpointPickerName(context.metadata.name));

const podLabels = ({ metadata, owner }: PlanContext) => ({
  [label.app]: endpointPickerName(metadata.name),
  ...owner,
});

function metricsAuth(context: PlanContext): Manifest[] {
  const { name: service, namespace } = context.metadata;
  const metadata = clusterObjectMeta(context, metricsAuthName(namespace, service));
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata,
      rules: metricsAuthRules,
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name: endpointPickerName(service), namespace }],
    },
  ];
}

const configMap = (context: PlanContext, { config }: PickerTask): Manifest[] =>
  config === undefined
    ? []
    : [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: objectMeta(context, endpointPickerConfigName(context.metadata.name)),
          data: { "config.yaml": config },
        },
      ];

function deployment(
  context: PlanContext,
  { task, replicas, pods, metricsAuth, scheduling, exported }: EndpointPickerPlacement,
): Manifest {
  const name = endpointPickerName(context.metadata.name);
  const files = [...task.files(context), ...exportFiles(exported)];
  const metadata = objectMeta(context, name, { [label.app]: name });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas,
      strategy: rolloutStrategy,
      selector: { matchLabels: podLabels(context) },
      template: {
        metadata: present({
          labels: podLabels(context),
          // The picker reads its configuration at start: a new one needs a new pod.
          annotations: task.config && { [annotation.configChecksum]: digest(task.config) },
        }),
        spec: present({
          schedulerName: scheduling.schedulerName,
          priorityClassName: pods.priorityClassName ?? scheduling.priorityClassName,
          serviceAccountName: name,
          ...programPlacement(pods, podLabels(context)),
          // Longer than the 30 s in which the picker finishes running requests.
          terminationGracePeriodSeconds: 60,
          securityContext: restrictedPod,
          containers: [container(context, { task, pods, metricsAuth, exported }, files)],
          volumes: volumesOf(files),
        }),
      },
    },
  };
}

/**
 * A new pod is ready before an old one goes, whatever their number: while no picker answers, a gateway with FailClose
 * refuses every request. Two pickers that do not know of each other for some seconds only split the prefix cache.
 */
const rolloutStrategy = {
  type: "RollingUpdate",
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
};

function container(
  { metadata }: PlanContext,
  {
    task,
    pods,
    metricsAuth,
    exported,
  }: Pick<EndpointPickerPlacement, "task" | "pods" | "metricsAuth" | "exported">,
  files: readonly MountedFiles[],
) {
  const health = { grpc: { port: endpointPickerPorts.health, service: "inference-extension" } };
  return present({
    name: "epp",
    image: pods.image,
    args: [
      `--${task.target}`,
      `--pool-namespace=${metadata.namespace}`,
      ...task.args,
      `--metrics-endpoint-auth=${metricsAuth}`,
      ...exportArgs(exported),
    ],
    ports: [
      { name: "grpc", containerPort: endpointPickerPorts.extProc, protocol: "TCP" },
      { name: "grpc-health", containerPort: endpointPickerPorts.health, protocol: "TCP" },
      { name: "metrics", containerPort: endpointPickerPorts.metrics, protocol: "TCP" },
    ],
    env: [
      { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    resources: programResources(pods),
    livenessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 10 },
    readinessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 2 },
    securityContext: restrictedContainer,
    volumeMounts: mountsOf(files),
    // A picker that cannot start says why in its last line: pod and status then have it too.
    terminationMessagePolicy: "FallbackToLogsOnError",
  });
}

/** Gateways of other clusters tell HTTP/2 by the name that the Multi-Cluster Inference proposal gives it. */
function service(context: PlanContext, exported: Export | undefined): Manifest {
  const port = (name: string, number: number, appProtocol: string) => ({
    name,
    port: number,
    targetPort: number,
    protocol: "TCP",
    appProtocol,
  });
  const grpc = exported === undefined ? "kubernetes.io/h2c" : "http2";
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: annotated(meta(context), exported?.serviceAnnotations ?? {}),
    spec: {
      type: exported?.serviceType ?? "ClusterIP",
      selector: { [label.app]: endpointPickerName(context.metadata.name) },
      ports: [
        port("grpc-ext-proc", endpointPickerPorts.extProc, grpc),
        port("grpc-health", endpointPickerPorts.health, grpc),
        port("http-metrics", endpointPickerPorts.metrics, "http"),
      ],
    },
  };
}
