import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { endpointPickerName, metricsPortName } from "../../names.ts";
import type { Export } from "../../spec/export.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import { pickerGraceSeconds } from "../../spec/picker-drain.ts";
import type { PickerServing } from "../../spec/picker-serving.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { type GatewayLocation, type PortRange, portsIn } from "../network-policy.ts";
import { annotated, objectMeta, type PlanContext } from "../object-meta.ts";
import { type MountedFiles, mountsOf, volumesOf } from "../programs/mounted-files.ts";
import { restrictedContainer } from "../programs/pod-security.ts";
import { programEnvironment, programResources } from "../programs/program-pods.ts";
import { containerPort, ofProgram, planService, servicePort } from "../programs/service.ts";
import { tracingArgs } from "../programs/tracing-args.ts";
import {
  exportArgs,
  exportFiles,
  planExportPolicy,
  planServingCertificate,
  withServingSecret,
} from "./export.ts";
import { type Picker, planPicker } from "./picker-objects.ts";
import type { PickerTask } from "./picker-task.ts";

/** Settings of an endpoint picker. */
export interface EndpointPickerInputs extends Pick<Picker, "proxiedPages"> {
  readonly task: PickerTask;
  readonly replicas: number;
  readonly pods: ProgramPods;
  /** Whether /metrics requires a token with permission to read it. */
  readonly metricsAuth: boolean;
  readonly scheduling: Scheduling;
  readonly networkPolicy: NetworkPolicyArgument;
  /** Location of the proxies that call this picker. */
  readonly gateway: GatewayLocation;
  readonly serving: PickerServing;
  /** Ports at which gateways call the picker, one for each pool. Default: the ext_proc port. */
  readonly poolPorts?: PortRange | undefined;
  /** Set if other clusters call this picker. */
  readonly exported?: Export | undefined;
}

interface Scheduling {
  readonly schedulerName?: string | undefined;
  readonly priorityClassName?: string | undefined;
}

/** Returns the objects of an endpoint picker, including those with which other clusters reach an exported picker. */
export function planEndpointPicker(context: PlanContext, asked: EndpointPickerInputs): Manifest[] {
  const exported = asked.exported && withServingSecret(context, asked.exported);
  const inputs = { ...asked, exported };
  const { task, replicas, pods, metricsAuth, scheduling, networkPolicy } = inputs;
  const files = [...task.files, ...exportFiles(exported)];
  const priorityClassName = pods.priorityClassName ?? scheduling.priorityClassName;
  return [
    ...planPicker(context, {
      rules: task.rules,
      metricsAuth,
      deployment: {
        replicas,
        pods: { ...pods, priorityClassName },
        strategy: rolloutStrategy,
        schedulerName: scheduling.schedulerName,
        terminationGracePeriodSeconds: pickerGraceSeconds(inputs.serving.drainSeconds),
        containers: [container(context, inputs, files)],
        volumes: volumesOf(files),
      },
      service: service(context, inputs),
      askedAt: inputs.poolPorts,
      networkPolicy,
      gateway: inputs.gateway,
      proxiedPages: inputs.proxiedPages,
    }),
    ...(exported === undefined
      ? []
      : [
          planExportPolicy(context, exported, networkPolicy),
          ...planServingCertificate(context, exported),
        ]),
  ];
}

/**
 * A new pod must be ready before an old one stops, for any number of replicas: while no picker responds, a gateway with
 * FailClose refuses every request. Two pickers that do not know each other for some seconds only split the prefix
 * cache.
 */
const rolloutStrategy = {
  type: "RollingUpdate",
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
};

function container(
  { metadata }: PlanContext,
  { task, pods, metricsAuth, serving, poolPorts, exported }: EndpointPickerInputs,
  files: readonly MountedFiles[],
) {
  const health = (service: string) => ({ grpc: { port: runtimePorts.health, service } });
  return present({
    name: "epp",
    image: pods.image,
    args: [
      `--${task.mode}`,
      `--pool-namespace=${metadata.namespace}`,
      ...task.args,
      `--metrics-endpoint-auth=${metricsAuth}`,
      ...servingArgs(serving),
      ...exportArgs(exported),
    ],
    ports: [
      ...(poolPorts === undefined ? [containerPort("grpc", runtimePorts.extProc)] : []),
      containerPort("grpc-health", runtimePorts.health),
      containerPort("metrics", runtimePorts.metrics),
    ],
    env: [
      { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ...programEnvironment(pods),
    ],
    resources: programResources(pods),
    // A picker that waits for its pool or import is alive, and a restart would not help.
    livenessProbe: { ...health("liveness"), initialDelaySeconds: 5, periodSeconds: 10 },
    readinessProbe: { ...health("readiness"), initialDelaySeconds: 5, periodSeconds: 2 },
    securityContext: restrictedContainer,
    volumeMounts: mountsOf(files),
    // A picker that cannot start logs the reason in its last line. The pod's status then contains it.
    terminationMessagePolicy: "FallbackToLogsOnError",
  });
}

/**
 * Passes only explicit settings. The program has the same defaults as the plan, and another picker does not know these
 * flags.
 */
const servingArgs = ({
  drainSeconds,
  followResponses,
  objectiveWindowSeconds,
  tracing,
}: PickerServing): string[] => [
  ...(drainSeconds === undefined ? [] : [`--shutdown-timeout=${drainSeconds}s`]),
  ...(followResponses === undefined ? [] : [`--follow-responses=${followResponses}`]),
  ...(objectiveWindowSeconds === undefined
    ? []
    : [`--objective-window=${objectiveWindowSeconds}s`]),
  ...tracingArgs(tracing),
];

/** Gateways of other clusters detect HTTP/2 by the appProtocol of the Multi-Cluster Inference proposal. */
function service(context: PlanContext, { exported, poolPorts }: EndpointPickerInputs): Manifest {
  const name = endpointPickerName(context.metadata.name);
  const isPublic = exported?.serviceType === "LoadBalancer";
  const grpc = exported === undefined ? "kubernetes.io/h2c" : "http2";
  return planService(annotated(objectMeta(context, name), exported?.serviceAnnotations ?? {}), {
    type: exported?.serviceType ?? "ClusterIP",
    ...(isPublic && exported.allowedNetworks.length > 0
      ? { loadBalancerSourceRanges: exported.allowedNetworks }
      : {}),
    selector: ofProgram(name),
    ports: [
      ...(poolPorts === undefined
        ? [servicePort("grpc-ext-proc", runtimePorts.extProc, grpc)]
        : portsIn(poolPorts).map((port) => servicePort(`grpc-${port}`, port, grpc))),
      servicePort("grpc-health", runtimePorts.health, grpc),
      ...(isPublic && !exported.metrics
        ? []
        : [servicePort(metricsPortName, runtimePorts.metrics, "http")]),
    ],
  });
}
