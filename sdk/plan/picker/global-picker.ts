import { endpointPickerConfigVersion } from "../../../kubernetes/kinds/endpoint-picker-config.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { GlobalPicker, ImportedPoolSpec } from "../../spec/imported-pool.ts";
import {
  annotation,
  endpointPickerConfigName,
  endpointPickerName,
  importName,
  importPickerOwner,
  label,
  metricsAuthName,
} from "../../topology/names.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { planMetricsAuth } from "../programs/metrics-auth.ts";
import { restrictedContainer, restrictedPod } from "../programs/pod-security.ts";
import {
  planDisruptionBudget,
  programEnvironment,
  programPlacement,
  programResources,
} from "../programs/program-pods.ts";
import { importPickerRules } from "../programs/rbac-rules.ts";
import { planIdentity } from "../programs/service-account.ts";
import { digest } from "../revision.ts";
import { importGateway } from "./import-gateway.ts";
import { planPickerPolicy } from "./picker-network-policy.ts";

/** llm-d's picker, in the first release that picks among clusters, for amd64 and arm64. */
export const defaultGlobalPickerImage =
  "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0@sha256:2e516fa1310da7be59b82beb1445362139597d6d553ef04d546716abe3aaaa70";

const clustersFolder = "/clusters";
const clustersFile = `${clustersFolder}/clusters.yaml`;

/**
 * llm-d's picker as one for gateways of other clusters, with this project's import-agent beside it, which writes the
 * clusters of the import to the file that the picker follows; and the InferencePool by which gateways find it.
 *
 * The pool selects no pods: gateways must send requests wherever the picker says.
 */
export function planGlobalPicker(
  { metadata, spec }: Parsed<ImportedPoolSpec>,
  { runtimeImage = defaultRuntimeImage }: PlanOptions,
): Manifest[] {
  const context = {
    metadata: { ...metadata, name: importPickerOwner(metadata.name) },
    owner: { [label.pool]: metadata.name },
  };
  const picker = spec.globalPicker ?? { replicas: 1 };
  return [
    ...planIdentity(context, endpointPickerName(context.metadata.name), {
      namespace: importPickerRules,
    }),
    ...planMetricsAuth(
      context,
      metricsAuthName(context.metadata.namespace, context.metadata.name),
      endpointPickerName(context.metadata.name),
    ),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: objectMeta(context, endpointPickerConfigName(context.metadata.name)),
      data: { "config.yaml": config },
    },
    deployment(context, metadata.name, picker, runtimeImage),
    ...planDisruptionBudget(
      context,
      endpointPickerName(context.metadata.name),
      podLabelsOf(context),
      picker,
    ),
    service(context),
    ...planPickerPolicy(
      context,
      spec.networkPolicy,
      importGateway({ metadata, spec }),
      podLabelsOf(context),
    ),
    inferencePool(context),
  ];
}

/** What llm-d documents for a picker among clusters. JSON is YAML. */
const config = `${JSON.stringify(
  {
    apiVersion: endpointPickerConfigVersion,
    kind: "EndpointPickerConfig",
    plugins: [
      {
        type: "multicluster-file-discovery",
        name: "discovery",
        parameters: { path: clustersFile, watchFile: true },
      },
      { type: "multicluster-metrics-data-source", name: "metrics", parameters: { scheme: "http" } },
      { type: "multicluster-metrics-extractor", name: "extractor" },
      { type: "multicluster-kv-cache-utilization-scorer", name: "kv-cache" },
      { type: "multicluster-queue-scorer", name: "queue" },
      { type: "max-score-picker" },
      { type: "single-profile-handler" },
    ],
    schedulingProfiles: [
      {
        name: "default",
        plugins: [
          { pluginRef: "kv-cache", weight: 1 },
          { pluginRef: "queue", weight: 1 },
          { pluginRef: "max-score-picker" },
        ],
      },
    ],
    dataLayer: {
      discovery: { pluginRef: "discovery" },
      sources: [{ pluginRef: "metrics", extractors: [{ pluginRef: "extractor" }] }],
    },
  },
  null,
  2,
)}\n`;

const podLabelsOf = ({ metadata, owner }: PlanContext) => ({
  [label.app]: endpointPickerName(metadata.name),
  ...owner,
});

function deployment(
  context: PlanContext,
  pool: string,
  picker: GlobalPicker,
  agentImage: unknown,
): Manifest {
  const name = endpointPickerName(context.metadata.name);
  const podLabels = podLabelsOf(context);
  const { namespace } = context.metadata;
  const clusters = { name: "clusters", mountPath: clustersFolder };
  const health = { grpc: { port: runtimePorts.health } };
  return {
    apiVersion: kinds.Deployment.apiVersion,
    kind: "Deployment",
    metadata: objectMeta(context, name, { [label.app]: name }),
    spec: {
      replicas: picker.replicas,
      selector: { matchLabels: podLabels },
      template: {
        metadata: {
          labels: podLabels,
          annotations: { [annotation.configChecksum]: digest(config) },
        },
        spec: present({
          priorityClassName: picker.priorityClassName,
          serviceAccountName: name,
          ...programPlacement(picker, podLabels),
          securityContext: restrictedPod,
          // Starts first and stays: the picker needs the file to be there.
          initContainers: [
            {
              name: "import-agent",
              image: agentImage,
              args: [
                "import-agent",
                `--import=${importName(pool)}`,
                `--pool-namespace=${namespace}`,
                `--write-clusters=${clustersFile}`,
              ],
              restartPolicy: "Always",
              env: programEnvironment({}),
              resources: programResources({}),
              startupProbe: {
                exec: { command: ["/node", "-e", fileIsThere] },
                periodSeconds: 1,
                failureThreshold: 120,
              },
              securityContext: restrictedContainer,
              volumeMounts: [clusters],
            },
          ],
          containers: [
            {
              name: "epp",
              image: picker.image ?? defaultGlobalPickerImage,
              args: [
                `--pool-name=${context.metadata.name}`,
                `--pool-namespace=${namespace}`,
                "--config-file=/config/config.yaml",
                // All that is of several clusters is alpha there.
                "--allow-experimental-plugins=true",
                "--metrics-endpoint-auth=true",
              ],
              ports: [
                { name: "grpc", containerPort: runtimePorts.extProc, protocol: "TCP" },
                { name: "grpc-health", containerPort: runtimePorts.health, protocol: "TCP" },
                { name: "metrics", containerPort: runtimePorts.metrics, protocol: "TCP" },
              ],
              env: [
                { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
                { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              ],
              resources: programResources(picker),
              readinessProbe: { ...health, initialDelaySeconds: 5, periodSeconds: 2 },
              securityContext: restrictedContainer,
              volumeMounts: [
                { name: "config", mountPath: "/config", readOnly: true },
                { ...clusters, readOnly: true },
              ],
            },
          ],
          volumes: [
            {
              name: "config",
              configMap: { name: endpointPickerConfigName(context.metadata.name) },
            },
            { name: "clusters", emptyDir: {} },
          ],
        }),
      },
    },
  };
}

const fileIsThere = `require("node:fs").accessSync(${JSON.stringify(clustersFile)})`;

const service = (context: PlanContext): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: objectMeta(context, endpointPickerName(context.metadata.name)),
  spec: {
    selector: { [label.app]: endpointPickerName(context.metadata.name) },
    ports: [
      {
        name: "grpc-ext-proc",
        port: runtimePorts.extProc,
        targetPort: runtimePorts.extProc,
        protocol: "TCP",
        appProtocol: "kubernetes.io/h2c",
      },
    ],
  },
});

const inferencePool = (context: PlanContext): Manifest => ({
  apiVersion: kinds.InferencePool.apiVersion,
  kind: "InferencePool",
  metadata: objectMeta(context, context.metadata.name),
  spec: {
    targetPorts: [{ number: 443 }],
    // No pod has it.
    selector: { matchLabels: { [label.pool]: context.metadata.name } },
    endpointPickerRef: {
      name: endpointPickerName(context.metadata.name),
      port: { number: runtimePorts.extProc },
      failureMode: "FailClose",
    },
  },
});
