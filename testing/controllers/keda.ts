import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "../api/api-client.ts";
import { writeClientCertificate } from "../api/client-certificate.ts";

export interface KedaPorts {
  /** The operator serves metrics to the adapter here. */
  readonly metricsService: number;
  /** The adapter serves the API of external metrics here. */
  readonly api: number;
}

/** API groups whose CRDs KEDA needs. */
export const kedaCrdGroups = ["keda.sh", "eventing.keda.sh"] as const;

/** Name that the certificates of both programs have. */
const host = "localhost";
const namespace = "keda";

/** Writes the certificate that both programs trust and present. Returns their arguments and environment. */
export function configureKeda(folder: string, kubeconfig: string, ports: KedaPorts) {
  const certificates = join(folder, "keda-certificates");
  mkdirSync(certificates);
  const { cert } = writeClientCertificate(certificates, host);
  copyFileSync(cert, join(certificates, "ca.crt"));
  const environment = [
    "WATCH_NAMESPACE=",
    `POD_NAMESPACE=${namespace}`,
    `KEDA_CLUSTER_OBJECT_NAMESPACE=${namespace}`,
    `KUBECONFIG=${kubeconfig}`,
  ];
  return {
    environment,
    operator: [
      "--metrics-bind-address=0",
      "--enable-prometheus-metrics=false",
      "--health-probe-bind-address=0",
      `--metrics-service-bind-address=127.0.0.1:${ports.metricsService}`,
      `--cert-dir=${certificates}`,
      "--kube-api-qps=200",
      "--kube-api-burst=400",
      "--zap-log-level=error",
    ],
    adapter: [
      `--metrics-service-address=127.0.0.1:${ports.metricsService}`,
      `--metrics-service-grpc-authority=${host}`,
      `--cert-dir=${certificates}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${ports.api}`,
      "--port=0",
      // The API server does not present a certificate, so its requests are anonymous.
      "--authentication-skip-lookup=true",
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--authorization-always-allow-paths=/*",
      `--lister-kubeconfig=${kubeconfig}`,
    ],
  };
}

const group = "external.metrics.k8s.io";

/** Registers the API of external metrics, which the API server reaches by a name instead of the address of a Service. */
export async function registerExternalMetrics(client: ApiClient, port: number): Promise<void> {
  await client.request("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  const rbac = { apiGroup: "rbac.authorization.k8s.io", name: "external-metrics" };
  const path = `/apis/${rbac.apiGroup}/v1`;
  await client.request("POST", `${path}/clusterroles`, {
    ...{ apiVersion: `${rbac.apiGroup}/v1`, kind: "ClusterRole", metadata: { name: rbac.name } },
    rules: [{ apiGroups: [group], resources: ["*"], verbs: ["get", "list"] }],
  });
  await client.request("POST", `${path}/clusterrolebindings`, {
    apiVersion: `${rbac.apiGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: rbac.name },
    subjects: [{ apiGroup: rbac.apiGroup, kind: "User", name: "system:anonymous" }],
    roleRef: { ...rbac, kind: "ClusterRole" },
  });
  const service = { name: "keda-metrics-apiserver", namespace, port };
  await client.request("POST", `/api/v1/namespaces/${namespace}/services`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service.name },
    spec: { type: "ExternalName", externalName: host, ports: [{ port }] },
  });
  await client.request("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1beta1.${group}` },
    spec: {
      ...{ service, group, version: "v1beta1", insecureSkipTLSVerify: true },
      ...{ groupPriorityMinimum: 100, versionPriority: 100 },
    },
  });
}

/** Whether the API of external metrics is served. */
export const externalMetricsAnswer = (client: ApiClient): Promise<boolean> =>
  client.request("GET", `/apis/${group}/v1beta1`).then(() => true);
