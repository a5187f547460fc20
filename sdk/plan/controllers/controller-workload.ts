import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { metricsPortName } from "../../names.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { type Door, planNetworkPolicy } from "../network-policy.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { planDeployment } from "../programs/deployment.ts";
import { type MountedFiles, mountsOf, volumesOf } from "../programs/mounted-files.ts";
import { restrictedContainer } from "../programs/pod-security.ts";
import {
  planDisruptionBudget,
  programEnvironment,
  programResources,
} from "../programs/program-pods.ts";
import { containerPort, ofProgram, planService, servicePort } from "../programs/service.ts";

/** A controller from this project's image, with health and metrics on the usual ports. */
export interface ControllerWorkload {
  /** Name of the Deployment, the Service and the ServiceAccount. */
  readonly name: string;
  /** Program (first argument of the image), also used as the container's name. */
  readonly program: string;
  readonly args: readonly string[];
  readonly replicas: number;
  readonly pods: ProgramPods;
  /** Permitted connections. Undefined permits every client. */
  readonly doors: readonly Door[] | undefined;
  /** Port of the Service, in addition to health and metrics. */
  readonly serves?: {
    readonly name: string;
    readonly serviceName: string;
    readonly port: number;
    readonly containerPort: number;
    readonly appProtocol?: string;
  };
  readonly strategy?: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Files mounted read-only. */
  readonly files?: readonly MountedFiles[];
}

/** Returns the argument that turns authentication for the controller's pages on or off. */
export const metricsAuthArg = (metricsAuth: boolean) => `--metrics-endpoint-auth=${metricsAuth}`;

/** Returns the Deployment, PodDisruptionBudget, Service and NetworkPolicy of a controller, in this order. */
export const planControllerWorkload = (
  context: PlanContext,
  workload: ControllerWorkload,
): Manifest[] => [
  planDeployment(context, {
    name: workload.name,
    podLabels: ofProgram(workload.name),
    replicas: workload.replicas,
    pods: workload.pods,
    annotations: workload.annotations,
    strategy: workload.strategy,
    terminationGracePeriodSeconds: workload.terminationGracePeriodSeconds,
    containers: [container(workload)],
    volumes: volumesOf(workload.files ?? []),
  }),
  ...planDisruptionBudget(context, workload.name, ofProgram(workload.name), {
    ...workload.pods,
    replicas: workload.replicas,
  }),
  service(context, workload),
  ...(workload.doors === undefined
    ? []
    : [
        planNetworkPolicy(
          context,
          workload.name,
          { matchLabels: ofProgram(workload.name) },
          workload.doors,
        ),
      ]),
];

function container({ program, args, pods, serves, files = [] }: ControllerWorkload) {
  const health = { grpc: { port: runtimePorts.health } };
  return present({
    name: program,
    image: pods.image,
    args: [program, ...args],
    ports: [
      ...(serves === undefined ? [] : [containerPort(serves.name, serves.containerPort)]),
      containerPort("grpc-health", runtimePorts.health),
      containerPort("metrics", runtimePorts.metrics),
    ],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ...programEnvironment(pods),
    ],
    resources: programResources(pods),
    livenessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 10 },
    readinessProbe: {
      grpc: { ...health.grpc, service: "readiness" },
      initialDelaySeconds: 2,
      periodSeconds: 5,
    },
    securityContext: restrictedContainer,
    volumeMounts: mountsOf(files),
  });
}

const service = (context: PlanContext, { name, serves }: ControllerWorkload): Manifest =>
  planService(objectMeta(context, name), {
    type: "ClusterIP",
    selector: ofProgram(name),
    ports: [
      ...(serves === undefined
        ? []
        : [servicePort(serves.serviceName, serves.port, serves.appProtocol, serves.containerPort)]),
      servicePort(metricsPortName, runtimePorts.metrics, "http"),
    ],
  });
