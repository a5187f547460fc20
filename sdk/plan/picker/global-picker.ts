import { endpointPickerConfigVersion } from "../../../kubernetes/kinds/endpoint-picker-config.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerName, importName, importPickerOwner, label } from "../../names.ts";
import type { GlobalPicker, ImportedPoolSpec } from "../../spec/imported-pool.ts";
import type { Metadata } from "../../spec/inference-service.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { restrictedContainer } from "../programs/pod-security.ts";
import { programEnvironment, programResources } from "../programs/program-pods.ts";
import { importPickerRules } from "../programs/rbac-rules.ts";
import { containerPort, ofProgram, planService, servicePort } from "../programs/service.ts";
import { configArgument } from "./config-argument.ts";
import { importGateway } from "./import-gateway.ts";
import { planImportPool } from "./import-pool.ts";
import { planPicker } from "./picker-objects.ts";

/** llm-d's picker, in the first release that picks among clusters, for amd64 and arm64. */
export const defaultGlobalPickerImage =
  "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0@sha256:2e516fa1310da7be59b82beb1445362139597d6d553ef04d546716abe3aaaa70";

const clustersFolder = "/clusters";
const clustersFile = `${clustersFolder}/clusters.yaml`;

/**
 * Plans llm-d's picker for gateways of other clusters, and the InferencePool by which gateways find it. This project's
 * import-agent runs as a sidecar: it writes the clusters of the import to a file that the picker watches.
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
  const name = endpointPickerName(context.metadata.name);
  return [
    ...planPicker(context, {
      rules: importPickerRules,
      metricsAuth: true,
      deployment: {
        replicas: picker.replicas,
        pods: picker,
        initContainers: [importAgent(metadata, runtimeImage)],
        containers: [container(context, picker)],
        volumes: [{ name: "clusters", emptyDir: {} }],
      },
      service: planService(objectMeta(context, name), {
        selector: ofProgram(name),
        ports: [servicePort("grpc-ext-proc", runtimePorts.extProc, "kubernetes.io/h2c")],
      }),
      networkPolicy: spec.networkPolicy,
      gateway: importGateway({ metadata, spec }),
    }),
    planImportPool(context),
  ];
}

/** Configuration that llm-d documents for a picker among clusters. JSON is valid YAML. */
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

const clusters = { name: "clusters", mountPath: clustersFolder };

/** A sidecar that starts before the picker, because the picker requires the file to exist. */
const importAgent = ({ name, namespace }: Metadata, image: unknown) => ({
  name: "import-agent",
  image,
  args: [
    "import-agent",
    `--import=${importName(name)}`,
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
});

const fileIsThere = `require("node:fs").accessSync(${JSON.stringify(clustersFile)})`;

const container = ({ metadata: { name, namespace } }: PlanContext, picker: GlobalPicker) => ({
  name: "epp",
  image: picker.image ?? defaultGlobalPickerImage,
  args: [
    `--pool-name=${name}`,
    `--pool-namespace=${namespace}`,
    configArgument(config),
    // All multi-cluster plugins are alpha in llm-d's picker.
    "--allow-experimental-plugins=true",
    "--metrics-endpoint-auth=true",
  ],
  ports: [
    containerPort("grpc", runtimePorts.extProc),
    containerPort("grpc-health", runtimePorts.health),
    containerPort("metrics", runtimePorts.metrics),
  ],
  env: [
    { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  resources: programResources(picker),
  readinessProbe: { grpc: { port: runtimePorts.health }, initialDelaySeconds: 5, periodSeconds: 2 },
  securityContext: restrictedContainer,
  volumeMounts: [{ ...clusters, readOnly: true }],
});
