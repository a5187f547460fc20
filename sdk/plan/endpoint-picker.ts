import type { Manifest, ObjectMeta } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import { type InferenceServiceSpec, isDisaggregated } from "../spec/inference-service.ts";
import type { RouterRole } from "../spec/role.ts";
import {
  annotation,
  endpointPickerConfigName,
  endpointPickerName,
  inferencePoolName,
  label,
  metricsAuthName,
} from "../topology/names.ts";
import { version } from "../version.ts";
import { canonicalResources } from "./canonical-quantities.ts";
import { endpointPickerConfig } from "./endpoint-picker-config.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerRules, metricsAuthRules } from "./rbac.ts";
import { digest } from "./revision.ts";

/** This project's runtime image; its entry point is the picker when the first argument is a flag. */
export const defaultEndpointPickerImage = `ghcr.io/pulumi-inference/pulumi-inference:${version}`;

/** Ports of the endpoint picker, those of the upstream picker. */
export const endpointPickerPorts = { extProc: 9002, health: 9003, metrics: 9090 } as const;

export interface EndpointPickerPlacement {
  readonly spec: InferenceServiceSpec;
  readonly router: RouterRole;
  /** Image where the router names none. */
  readonly image: string;
}

/** ServiceAccount, RBAC, ConfigMap, Deployment and Service of a service's endpoint picker, in this order. */
export function planEndpointPicker(
  context: PlanContext,
  { spec, router, image }: EndpointPickerPlacement,
): Manifest[] {
  const config = pickerConfigText(spec, router);
  return [
    serviceAccount(context),
    ...role(context),
    ...(router.metricsAuth ? metricsAuth(context) : []),
    configMap(context, config),
    deployment(context, router, spec.schedulingStrategy, { image: router.image ?? image, config }),
    service(context),
  ];
}

/** The picker's configuration as YAML; JSON is YAML, and its bytes do not depend on a writer's style. */
function pickerConfigText(spec: InferenceServiceSpec, router: RouterRole): string {
  if (router.endpointPickerConfig !== undefined) return router.endpointPickerConfig;
  const byDefault = isDisaggregated(spec.roles) ? "pd-disaggregation" : "prefix-cache";
  return `${JSON.stringify(endpointPickerConfig(router.strategy ?? byDefault), null, 2)}\n`;
}

const meta = (context: PlanContext): ObjectMeta =>
  objectMeta(context, endpointPickerName(context.metadata.name));

const podLabels = ({ metadata }: PlanContext) => ({
  [label.app]: endpointPickerName(metadata.name),
  [label.service]: metadata.name,
});

const serviceAccount = (context: PlanContext): Manifest => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: meta(context),
});

function role(context: PlanContext): Manifest[] {
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: meta(context),
      rules: endpointPickerRules,
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: meta(context),
      ...binding(context, "Role", meta(context).name),
    },
  ];
}

function metricsAuth(context: PlanContext): Manifest[] {
  const { name: service, namespace } = context.metadata;
  const { namespace: _none, ...metadata } = objectMeta(
    context,
    metricsAuthName(namespace, service),
  );
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
      ...binding(context, "ClusterRole", metadata.name),
    },
  ];
}

const binding = ({ metadata }: PlanContext, kind: "Role" | "ClusterRole", name: string) => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
  subjects: [
    {
      kind: "ServiceAccount",
      name: endpointPickerName(metadata.name),
      namespace: metadata.namespace,
    },
  ],
});

const configMap = (context: PlanContext, config: string): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: objectMeta(context, endpointPickerConfigName(context.metadata.name)),
  data: { "config.yaml": config },
});

function deployment(
  context: PlanContext,
  router: RouterRole,
  strategy: InferenceServiceSpec["schedulingStrategy"],
  { image, config }: { image: unknown; config: string },
): Manifest {
  const name = endpointPickerName(context.metadata.name);
  const metadata = objectMeta(context, name, { [label.app]: name });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas: router.replicas,
      strategy: rolloutStrategy(router.replicas),
      selector: { matchLabels: podLabels(context) },
      template: {
        metadata: {
          labels: podLabels(context),
          // The picker reads its configuration at start: a new one needs a new pod.
          annotations: { [annotation.configChecksum]: digest(config) },
        },
        spec: present({
          schedulerName: strategy.schedulerName,
          priorityClassName: strategy.priorityClassName,
          serviceAccountName: name,
          // Longer than the 30 s in which the picker finishes running requests.
          terminationGracePeriodSeconds: 60,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            runAsGroup: 65_532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [container(context, router, image)],
          volumes: [
            {
              name: "plugins-config-volume",
              configMap: { name: endpointPickerConfigName(context.metadata.name) },
            },
          ],
        }),
      },
    },
  };
}

/**
 * A single picker is stopped before its successor starts, as with Recreate, since two that do not know of each
 * other split the prefix cache; several on purpose roll over. The type is one for both: the API server's defaults
 * of the one would stay behind and be refused with the other.
 */
function rolloutStrategy(replicas: number) {
  const [maxSurge, maxUnavailable] = replicas > 1 ? [1, 0] : [0, 1];
  return { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
}

function container({ metadata }: PlanContext, router: RouterRole, image: unknown) {
  const health = { grpc: { port: endpointPickerPorts.health, service: "inference-extension" } };
  return present({
    name: "epp",
    image,
    args: [
      `--pool-name=${inferencePoolName(metadata.name)}`,
      `--pool-namespace=${metadata.namespace}`,
      "--config-file=/config/config.yaml",
      `--metrics-endpoint-auth=${router.metricsAuth}`,
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
    resources: router.resources && canonicalResources(router.resources),
    livenessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 10 },
    readinessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 2 },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [{ name: "plugins-config-volume", mountPath: "/config", readOnly: true }],
  });
}

function service(context: PlanContext): Manifest {
  const port = (name: string, number: number, appProtocol: string) => ({
    name,
    port: number,
    targetPort: number,
    protocol: "TCP",
    appProtocol,
  });
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta(context),
    spec: {
      type: "ClusterIP",
      selector: { [label.app]: endpointPickerName(context.metadata.name) },
      ports: [
        port("grpc-ext-proc", endpointPickerPorts.extProc, "kubernetes.io/h2c"),
        port("grpc-health", endpointPickerPorts.health, "kubernetes.io/h2c"),
        port("http-metrics", endpointPickerPorts.metrics, "http"),
      ],
    },
  };
}
