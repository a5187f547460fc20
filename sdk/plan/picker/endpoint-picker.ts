import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { Export } from "../../spec/export.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import { pickerGraceSeconds } from "../../spec/picker-drain.ts";
import type { PickerServing } from "../../spec/picker-serving.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import {
  annotation,
  endpointPickerConfigName,
  endpointPickerName,
  label,
  metricsAuthName,
} from "../../topology/names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { GatewayPlace } from "../network-policy.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { planMetricsAuth } from "../programs/metrics-auth.ts";
import { type MountedFiles, mountsOf, volumesOf } from "../programs/mounted-files.ts";
import { restrictedContainer, restrictedPod } from "../programs/pod-security.ts";
import {
  planDisruptionBudget,
  programEnvironment,
  programPlacement,
  programResources,
} from "../programs/program-pods.ts";
import { planIdentity } from "../programs/service-account.ts";
import { digest } from "../revision.ts";
import { exportArgs, exportFiles, planExportPolicy } from "./export.ts";
import { planPickerPolicy } from "./picker-network-policy.ts";
import type { PickerTask } from "./picker-task.ts";

/** What an endpoint picker runs with. */
export interface EndpointPickerInputs {
  readonly task: PickerTask;
  readonly replicas: number;
  readonly pods: ProgramPods;
  /** Whether /metrics asks for a token that may read it. */
  readonly metricsAuth: boolean;
  readonly scheduling: Scheduling;
  readonly networkPolicy: NetworkPolicyArgument;
  /** Where the proxies are that ask this picker. */
  readonly gateway: GatewayPlace;
  readonly serving: PickerServing;
  /** Other clusters ask this picker. */
  readonly exported?: Export | undefined;
}

interface Scheduling {
  readonly schedulerName?: string | undefined;
  readonly priorityClassName?: string | undefined;
}

/** ServiceAccount, RBAC, ConfigMap, Deployment, PodDisruptionBudget and Service of an endpoint picker, in this order. */
export function planEndpointPicker(context: PlanContext, inputs: EndpointPickerInputs): Manifest[] {
  return [
    ...planIdentity(context, endpointPickerName(context.metadata.name), {
      namespace: inputs.task.rules,
    }),
    ...(inputs.metricsAuth
      ? planMetricsAuth(
          context,
          metricsAuthName(context.metadata.namespace, context.metadata.name),
          endpointPickerName(context.metadata.name),
        )
      : []),
    ...configMap(context, inputs.task),
    deployment(context, inputs),
    ...planDisruptionBudget(
      context,
      endpointPickerName(context.metadata.name),
      podLabels(context),
      { ...inputs.pods, replicas: inputs.replicas },
    ),
    service(context, inputs.exported),
    ...planPickerPolicy(context, inputs.networkPolicy, inputs.gateway, podLabels(context)),
    ...(inputs.exported === undefined
      ? []
      : [planExportPolicy(context, inputs.exported, inputs.networkPolicy)]),
  ];
}

const meta = (context: PlanContext): ObjectMeta =>
  objectMeta(context, endpointPickerName(context.metadata.name));

const podLabels = ({ metadata, owner }: PlanContext) => ({
  [label.app]: endpointPickerName(metadata.name),
  ...owner,
});

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
  { task, replicas, pods, metricsAuth, scheduling, serving, exported }: EndpointPickerInputs,
): Manifest {
  const name = endpointPickerName(context.metadata.name);
  const files = [...task.files(context), ...exportFiles(exported)];
  const metadata = objectMeta(context, name, { [label.app]: name });
  return {
    apiVersion: kinds.Deployment.apiVersion,
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
          terminationGracePeriodSeconds: pickerGraceSeconds(serving.drainSeconds),
          securityContext: restrictedPod,
          containers: [container(context, { task, pods, metricsAuth, serving, exported }, files)],
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
    serving,
    exported,
  }: Pick<EndpointPickerInputs, "task" | "pods" | "metricsAuth" | "serving" | "exported">,
  files: readonly MountedFiles[],
) {
  const health = (service: string) => ({ grpc: { port: runtimePorts.health, service } });
  return present({
    name: "epp",
    image: pods.image,
    args: [
      `--${task.target}`,
      `--pool-namespace=${metadata.namespace}`,
      ...task.args,
      `--metrics-endpoint-auth=${metricsAuth}`,
      ...servingArgs(serving),
      ...exportArgs(exported),
    ],
    ports: [
      { name: "grpc", containerPort: runtimePorts.extProc, protocol: "TCP" },
      { name: "grpc-health", containerPort: runtimePorts.health, protocol: "TCP" },
      { name: "metrics", containerPort: runtimePorts.metrics, protocol: "TCP" },
    ],
    env: [
      { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ...programEnvironment(pods),
    ],
    resources: programResources(pods),
    // A picker that waits for its pool or import is alive: a restart would not bring it sooner.
    livenessProbe: { ...health("liveness"), initialDelaySeconds: 5, periodSeconds: 10 },
    readinessProbe: { ...health("readiness"), initialDelaySeconds: 5, periodSeconds: 2 },
    securityContext: restrictedContainer,
    volumeMounts: mountsOf(files),
    // A picker that cannot start says why in its last line: pod and status then have it too.
    terminationMessagePolicy: "FallbackToLogsOnError",
  });
}

/** Only what is asked for: the program's defaults are the plan's, and another picker knows none of these flags. */
const servingArgs = ({
  drainSeconds,
  followResponses,
  objectiveWindowSeconds,
}: PickerServing): string[] => [
  ...(drainSeconds === undefined ? [] : [`--shutdown-timeout=${drainSeconds}s`]),
  ...(followResponses === undefined ? [] : [`--follow-responses=${followResponses}`]),
  ...(objectiveWindowSeconds === undefined
    ? []
    : [`--objective-window=${objectiveWindowSeconds}s`]),
];

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
      ...(exported?.serviceType === "LoadBalancer" && exported.allowedNetworks.length > 0
        ? { loadBalancerSourceRanges: exported.allowedNetworks }
        : {}),
      selector: { [label.app]: endpointPickerName(context.metadata.name) },
      ports: [
        port("grpc-ext-proc", runtimePorts.extProc, grpc),
        port("grpc-health", runtimePorts.health, grpc),
        ...(exported?.serviceType === "LoadBalancer" && !exported.metrics
          ? []
          : [port("http-metrics", runtimePorts.metrics, "http")]),
      ],
    },
  };
}
