import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { label } from "../../sdk/names.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { appliedService } from "../../testing/clusters/applied-service.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { sidecarMetric } from "../../testing/pods/deployed-sidecar.ts";
import type { ServingPod } from "../../testing/pods/running-pod.ts";
import { type StandIns, startStandIns } from "../../testing/stand-ins/start.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";

/**
 * A service with prefillers and decoders as it is planned: Envoy and the stack's picker to the sidecars that the decoders'
 * pods have, with simulated engines behind them.
 */
export interface PairsService {
  readonly cluster: AttachedCluster;
  readonly namespace: string;
  readonly standIns: StandIns;
  readonly traffic: LiveTraffic;
  podsOf(type: "prefiller" | "decoder"): ServingPod[];
  /** A page of the picker. */
  page(path: string): Promise<Response>;
  stop(): Promise<void>;
}

const vllm = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.12.0",
        args: [
          "--model",
          "m",
          "--kv-transfer-config",
          '{"kv_connector":"NixlConnector","kv_role":"kv_both"}',
        ],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      },
    ],
  },
};

/** @param replicas of each of the two roles */
export async function startPairsService(replicas: number): Promise<PairsService> {
  await findEnvoy();
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-pairs-"));
  const cluster = await sharedCluster();
  const namespace = await freshNamespace(cluster, "pairs");
  const standIns = await startStandIns(cluster, { namespace, tickMs: 20 });
  await appliedService(cluster).apply({
    metadata: { name: "pairs", namespace },
    spec: {
      roles: [
        { name: "prefill", componentType: "prefiller", replicas, template: vllm },
        { name: "decode", componentType: "decoder", replicas, template: vllm },
        {
          name: "router",
          componentType: "router",
          gateway: {
            gatewayClassName: "test",
            listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
          },
        },
      ],
    },
  });
  while ((await countReady(cluster, namespace)) < 2 * replicas) await sleep(100);
  const traffic = await startLiveTraffic({
    ...{ kubeconfig: cluster.kubeconfig, namespace, folder },
    serverOf: () => ({ model: "m", stepMs: 2, prefillTokensPerSecond: 200_000 }),
  });
  // A sidecar that does not know a prefiller yet has its engine prefill.
  for (const { sidecar } of traffic.servers)
    while (sidecar && (await sidecarMetric(sidecar, "pd_sidecar_allowed_prefillers")) < replicas)
      await sleep(50);
  return {
    ...{ cluster, namespace, standIns, traffic },
    podsOf: (type) =>
      traffic.servers.filter(({ pod }) => pod.metadata?.labels?.[label.componentType] === type),
    page(path) {
      const [picker] = traffic.pickers.values();
      return fetch(`http://127.0.0.1:${picker?.ports.metrics}${path}`);
    },
    async stop() {
      await traffic.stop();
      await standIns.stop();
      cluster.detach();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Number of the engines' pods that have an address and are Ready. */
async function countReady(cluster: AttachedCluster, namespace: string): Promise<number> {
  const { items } = await cluster.request<{ items: V1Pod[] }>(
    "GET",
    `/api/v1/namespaces/${namespace}/pods`,
  );
  return items.filter(
    ({ metadata, status }) =>
      metadata?.labels?.[label.service] === "pairs" &&
      metadata.labels[label.componentType] !== undefined &&
      status?.podIP !== undefined &&
      status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
  ).length;
}
