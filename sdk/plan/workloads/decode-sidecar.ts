import { allow } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { isTls } from "../../engines/containers/server.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { KvConnectorName } from "../../engines/interface/engine.ts";
import { whatIsKnown } from "../../engines/options/arguments.ts";
import { bootstrapPortFlag } from "../../engines/sglang/engine.ts";
import { decodeSidecarName, label, lwsLabel } from "../../names.ts";
import { connectorOf } from "../../rules/spec/kv-transfer.ts";
import type { PodSpec } from "../../schemas/pod-template.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  routerOf,
} from "../../spec/inference-service.ts";
import type { Tracing } from "../../spec/picker-serving.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import type { InferenceRole } from "../../spec/role.ts";
import { plannedSidecarOf, type SidecarLocation } from "../../topology/decode-sidecar.ts";
import { defaultSidecarImage } from "../../topology/runtime-image.ts";
import { sidecarPorts } from "../../topology/runtime-ports.ts";
import type { PlanContext } from "../object-meta.ts";
import { restrictedContainer, restrictedPod } from "../programs/pod-security.ts";
import { programResources, sidecarEnvironment } from "../programs/program-pods.ts";
import { planIdentity } from "../programs/service-account.ts";
import { tracingArgs } from "../programs/tracing-args.ts";

/** The sidecar of decoder pods. It is in the pod that receives the requests, which in a group is the leader. */
export interface DecodeSidecar extends SidecarLocation {
  readonly service: string;
  readonly connector: KvConnectorName;
  /** Whether the engines and the sidecar serve HTTPS. */
  readonly isTls: boolean;
  readonly image: NonNullable<ProgramPods["image"]>;
  /** Used for pods that set none. */
  readonly imagePullSecrets: ProgramPods["imagePullSecrets"];
  readonly tracing: Tracing | undefined;
  /** Port of the bootstrap servers of SGLang's prefillers; undefined if none is set. */
  readonly bootstrapPort: string | undefined;
}

/**
 * Returns the sidecar of a decoder role. It depends on neither the router's image nor this library's version, because a
 * change would restart pods with GPUs.
 *
 * @param role role as written
 * @param defaultImage image for a role that sets none
 */
export function decodeSidecarOf(
  service: string,
  role: InferenceRole,
  spec: InferenceServiceSpec,
  defaultImage = defaultSidecarImage,
): DecodeSidecar | undefined {
  const place = plannedSidecarOf(role, spec);
  if (place === undefined) return undefined;
  const engine = engineOf(role.template.spec);
  const name = engineNameOf(engine);
  const own = name && engines[name].transfer?.sidecarConnector;
  return {
    ...place,
    service,
    image: role.sidecarImage ?? defaultImage,
    imagePullSecrets: routerOf(spec)?.imagePullSecrets,
    tracing: role.sidecarTracing,
    bootstrapPort: own === undefined ? undefined : bootstrapPortOf(spec),
    connector: own ?? connectors[connectorOf(engine) ?? ""] ?? "nixlv2",
    isTls: isTls(engine),
  };
}

/** Prefillers of a service share one port. Without it the sidecar uses SGLang's default. */
const bootstrapPortOf = (spec: InferenceServiceSpec): string | undefined =>
  inferenceRolesOf(spec)
    .filter(({ componentType }) => componentType === "prefiller")
    .map(({ template }) =>
      whatIsKnown(argumentsOf(engineOf(template.spec)).written(bootstrapPortFlag)),
    )
    .find((port) => /^\d+$/.test(port ?? ""));

/** Connector of the sidecar for each connector of vLLM. */
const connectors: Readonly<Record<string, KvConnectorName>> = {
  MooncakeConnector: "mooncake",
  OffloadingConnector: "offloading",
  ExampleConnector: "shared-storage",
  SharedStorageConnector: "shared-storage",
};

const tokenVolume = "pd-sidecar-token";

/** Returns a pod with the sidecar, which starts before the engine and stops after it. */
export function withDecodeSidecar(pod: PodSpec, sidecar: DecodeSidecar): PodSpec {
  const {
    initContainers = [],
    volumes,
    serviceAccountName,
  } = pod as {
    initContainers?: PodSpec["initContainers"];
    volumes?: readonly unknown[];
    serviceAccountName?: unknown;
  };
  return {
    ...pod,
    ...present({
      imagePullSecrets: pod.imagePullSecrets ?? sidecar.imagePullSecrets,
      serviceAccountName: serviceAccountName ?? decodeSidecarName(sidecar.service),
    }),
    initContainers: [...initContainers, container(sidecar) as PodSpec["containers"][number]],
    volumes: [...(volumes ?? []), tokenOfPod],
  };
}

/** The contents of a pod's default token volume. */
const tokenOfPod = {
  name: tokenVolume,
  projected: {
    sources: [
      { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }],
        },
      },
    ],
  },
};

function container(sidecar: DecodeSidecar) {
  const { service, servingPort, enginePort, connector, isTls, image, bootstrapPort, tracing } =
    sidecar;
  return present({
    name: "pd-sidecar",
    image,
    // Makes it a sidecar container, which requires Kubernetes 1.29 or later.
    restartPolicy: "Always",
    args: [
      "pd-sidecar",
      `--port=${servingPort}`,
      `--model-server-port=${enginePort}`,
      `--kv-connector=${connector}`,
      ...(bootstrapPort !== undefined ? [`--sglang-bootstrap-port=${bootstrapPort}`] : []),
      `--secure-proxy=${isTls}`,
      ...(isTls
        ? ["--enable-tls=prefiller,decoder", "--tls-insecure-skip-verify=prefiller,decoder"]
        : []),
      `--prefiller-selector=${selectorOfPrefillers(service)}`,
      `--prefiller-ports=${servingPort}`,
      ...tracingArgs(tracing),
    ],
    ports: [
      { name: "pd-serving", containerPort: servingPort, protocol: "TCP" },
      { name: "pd-health", containerPort: sidecarPorts.health, protocol: "TCP" },
      { name: "pd-metrics", containerPort: sidecarPorts.metrics, protocol: "TCP" },
    ],
    env: [
      { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ...sidecarEnvironment({}),
    ],
    resources: programResources({}),
    livenessProbe: {
      grpc: { port: sidecarPorts.health, service: "liveness" },
      initialDelaySeconds: 5,
      periodSeconds: 10,
    },
    // The sidecar forwards this request, so the probe also checks the engine.
    readinessProbe: {
      httpGet: { path: "/health", port: servingPort, ...(isTls && { scheme: "HTTPS" }) },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
    securityContext: { ...restrictedPod, ...restrictedContainer },
    volumeMounts: [
      {
        name: tokenVolume,
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
        readOnly: true,
      },
    ],
    terminationMessagePolicy: "FallbackToLogsOnError",
  });
}

const selectorOfPrefillers = (service: string): string =>
  Object.entries({
    [label.service]: service,
    [label.componentType]: "prefiller",
    [lwsLabel.workerIndex]: "0",
  })
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

/** Rules for the service's namespace: the sidecar connects only to Ready prefillers. */
export const decodeSidecarRules = [allow(["list", "watch"], [unplanned.Pod])];

/**
 * Plans the identity of decoder pods: a ServiceAccount that may read pods, for templates that set none. Accounts that
 * templates set get the same permission.
 */
export function planDecodeSidecarIdentity(
  context: PlanContext,
  spec: InferenceServiceSpec,
): Manifest[] {
  const decoders = inferenceRolesOf(spec).filter((role) => plannedSidecarOf(role, spec));
  if (decoders.length === 0) return [];
  const named = decoders.flatMap(({ template }) => template.spec.serviceAccountName ?? []);
  return planIdentity(context, decodeSidecarName(context.metadata.name), {
    namespace: decodeSidecarRules,
    alsoFor: [...new Set(named as string[])],
  });
}
