import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import { label } from "../../topology/names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { type Door, planNetworkPolicy } from "../network-policy.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { type MountedFiles, mountsOf, volumesOf } from "../programs/mounted-files.ts";
import { restrictedContainer, restrictedPod } from "../programs/pod-security.ts";
import {
  planDisruptionBudget,
  programEnvironment,
  programPlacement,
  programResources,
} from "../programs/program-pods.ts";

/** A program of the image that runs beside what it looks after, with health and metrics on their usual ports. */
export interface ControllerWorkload {
  /** Of the Deployment, the Service and the ServiceAccount. */
  readonly name: string;
  /** Of the image; the container is called so too. */
  readonly program: string;
  readonly args: readonly string[];
  readonly replicas: number;
  readonly pods: ProgramPods;
  /** Who may enter; nothing where everybody may. */
  readonly doors: readonly Door[] | undefined;
  /** What it serves beside health and metrics, by the Service's port. */
  readonly serves?: {
    readonly name: string;
    readonly serviceName: string;
    readonly port: number;
    readonly containerPort: number;
  };
  /** Of the pod. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Mounted read-only. */
  readonly files?: readonly MountedFiles[];
}

/** The argument by which a controller asks who may read its pages, or asks nobody. */
export const metricsAuthArg = (metricsAuth: boolean) => `--metrics-endpoint-auth=${metricsAuth}`;

/** Deployment, PodDisruptionBudget and Service of a controller, in this order. */
export const planControllerWorkload = (
  context: PlanContext,
  workload: ControllerWorkload,
): Manifest[] => [
  deployment(context, workload),
  ...planDisruptionBudget(context, workload.name, podLabelsOf(workload), {
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
          { matchLabels: podLabelsOf(workload) },
          workload.doors,
        ),
      ]),
];

const podLabelsOf = ({ name }: ControllerWorkload) => ({ [label.app]: name });

function deployment(context: PlanContext, workload: ControllerWorkload): Manifest {
  const { name, replicas, pods, annotations, files = [] } = workload;
  const podLabels = podLabelsOf(workload);
  return {
    apiVersion: kinds.Deployment.apiVersion,
    kind: "Deployment",
    metadata: objectMeta(context, name, podLabels),
    spec: {
      replicas,
      selector: { matchLabels: podLabels },
      template: {
        metadata: present({ labels: podLabels, annotations }),
        spec: present({
          priorityClassName: pods.priorityClassName,
          serviceAccountName: name,
          ...programPlacement(pods, podLabels),
          securityContext: restrictedPod,
          containers: [container(workload)],
          volumes: volumesOf(files),
        }),
      },
    },
  };
}

function container({ program, args, pods, serves, files = [] }: ControllerWorkload) {
  const health = { grpc: { port: runtimePorts.health } };
  return present({
    name: program,
    image: pods.image,
    args: [program, ...args],
    ports: [
      ...(serves === undefined
        ? []
        : [{ name: serves.name, containerPort: serves.containerPort, protocol: "TCP" }]),
      { name: "grpc-health", containerPort: runtimePorts.health, protocol: "TCP" },
      { name: "metrics", containerPort: runtimePorts.metrics, protocol: "TCP" },
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

const service = (context: PlanContext, { name, serves }: ControllerWorkload): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: objectMeta(context, name),
  spec: {
    type: "ClusterIP",
    selector: { [label.app]: name },
    ports: [
      ...(serves === undefined
        ? []
        : [
            {
              name: serves.serviceName,
              port: serves.port,
              targetPort: serves.containerPort,
              protocol: "TCP",
            },
          ]),
      {
        name: "http-metrics",
        port: runtimePorts.metrics,
        targetPort: runtimePorts.metrics,
        protocol: "TCP",
        appProtocol: "http",
      },
    ],
  },
});
