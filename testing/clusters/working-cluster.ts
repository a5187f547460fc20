import { connect } from "../api/api-client.ts";
import { startCluster } from "../api/api-server.ts";
import type { Cluster } from "../api/cluster.ts";
import { crdGroups } from "../api/install-crds.ts";
import { upstreamCrds } from "../api/upstream-crds.ts";
import { controllerCrdGroups, startControllers } from "../controllers/start.ts";
import { type Stoppable, stopAll } from "../processes/stop-all.ts";
import { startKubelet } from "../stand-ins/kubelet.ts";
import { createNode } from "../stand-ins/node.ts";
import type { Pod } from "../stand-ins/objects.ts";

/**
 * A cluster as one is handed over: API server, Kubernetes' controllers and scheduler, LeaderWorkerSet with its webhooks,
 * Volcano, the kinds of the Gateway API and its inference extension, the RuntimeClass `nvidia`; of this project nothing. Only
 * nodes and kubelets are STAND-INS: placed pods run and become ready, and no container is executed.
 */
export interface WorkingCluster {
  readonly cluster: Cluster;
  /** Waits until no pod is left that is not ready or that is being deleted. Returns the pods. */
  atRest(): Promise<Pod[]>;
  stop(): Promise<void>;
}

export interface WorkingClusterOptions {
  /** Nodes of eight GPUs, in addition to one node of eight accelerators of another vendor. Default 16. */
  readonly nodes?: number;
}

const restsWithinMs = 120_000;

export async function startWorkingCluster({
  nodes = 16,
}: WorkingClusterOptions = {}): Promise<WorkingCluster> {
  const crds = await upstreamCrds([...crdGroups, ...controllerCrdGroups]);
  const cluster = await startCluster({ crds });
  const client = connect(cluster);
  const running: Stoppable[] = [];
  const stop = async () => {
    await stopAll(running);
    client.close();
    await cluster.stop();
  };
  try {
    const controllers = await startControllers(cluster);
    running.push(controllers);
    running.push(await startKubelet(client, { tickMs: 20, onError: console.error }));
    for (let at = 0; at < nodes; at++) await createNode(client, `node-${at}`, 8);
    await createNode(client, "node-of-another-make", 0, {}, { "huawei.com/Ascend910": "8" });
    await client.request("POST", "/apis/node.k8s.io/v1/runtimeclasses", {
      apiVersion: "node.k8s.io/v1",
      kind: "RuntimeClass",
      metadata: { name: "nvidia" },
      handler: "nvidia",
    });
    const isAtRest = ({ metadata, status }: Pod) =>
      metadata.deletionTimestamp === undefined &&
      (status.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
    return {
      cluster,
      stop,
      async atRest() {
        const deadline = Date.now() + restsWithinMs;
        for (;;) {
          const { items } = await client.request<{ items: Pod[] }>("GET", "/api/v1/pods");
          if (items.every(isAtRest)) return items;
          if (controllers.failures().length > 0) throw new Error(controllers.failures().join("\n"));
          if (Date.now() > deadline) {
            const waiting = items.filter((pod) => !isAtRest(pod));
            throw new Error(`not ready: ${waiting.map(({ metadata }) => metadata.name)}`);
          }
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
