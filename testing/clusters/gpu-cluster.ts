import { setTimeout as sleep } from "node:timers/promises";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { ClusterNode, GpuNode } from "../../sdk/index.ts";
import { type ApiClient, connect } from "../api/api-client.ts";
import { startCluster } from "../api/api-server.ts";
import { type Cluster, freshNamespace } from "../api/cluster.ts";
import { crdGroups, crdsWithOwn } from "../api/install-crds.ts";
import type { CrdGroup } from "../api/upstream-crds.ts";
import { kedaCrdGroups } from "../controllers/keda.ts";
import {
  type Controllers,
  type ControllersOptions,
  controllerCrdGroups,
  startControllers,
} from "../controllers/start.ts";
import { type PodPrograms, type ReadinessScript, startKubelet } from "../stand-ins/kubelet.ts";
import { createClusterNode, createNode } from "../stand-ins/node.ts";
import type { Pod } from "../stand-ins/objects.ts";
import { type Canaries, canariesIn, placement, untilAtRest } from "./at-rest.ts";

/**
 * A cluster with the real controllers, in parts that do not see each other: a namespace's pods go to its own nodes. Only
 * the kubelets are played, since no container can run: nodes are objects, and placed pods run and become ready.
 */
export interface GpuCluster {
  readonly cluster: Cluster;
  readonly client: ApiClient;
  readonly controllers: Controllers;
  /** A fresh namespace with nodes of its own. */
  part(nodes: readonly GpuNode[]): Promise<GpuPart>;
  stop(): Promise<void>;
}

export interface GpuPart {
  readonly namespace: string;
  addNodes(nodes: readonly (GpuNode | ClusterNode)[]): Promise<void>;
  /** Deletes the part's nodes. */
  removeNodes(): Promise<void>;
  pods(): Promise<Pod[]>;
  /**
   * Waits until `pods` pods exist and every scheduler has looked at them and left them where they are. Returns the pods.
   * A scheduler has looked once pods that were created afterwards, one after the other, have been placed on a node elsewhere.
   */
  settled(pods: number): Promise<Pod[]>;
  /** Waits until `pods` pods exist. */
  created(pods: number): Promise<void>;
  /** Waits until all pods are so. */
  whenAll(holds: (pod: Pod) => boolean): Promise<void>;
  /** Waits until no pod is left. */
  emptied(): Promise<void>;
}

export interface GpuClusterOptions extends ControllersOptions {
  /** Returns what the pods of the cluster execute. Default: nothing. */
  readonly programs?: (cluster: Cluster) => PodPrograms;
  /** API groups of further CRDs. Default: none. */
  readonly furtherGroups?: readonly CrdGroup[];
}

export async function startGpuCluster({
  programs,
  furtherGroups = [],
  ...options
}: GpuClusterOptions = {}): Promise<GpuCluster> {
  const crds = await crdsWithOwn([
    ...crdGroups,
    ...controllerCrdGroups,
    ...(options.autoscalers ? kedaCrdGroups : []),
    ...furtherGroups,
  ]);
  const cluster = await startCluster({ crds, admissionPlugins: ["PodNodeSelector"] });
  const client = connect(cluster);
  let controllers: Controllers | undefined;
  try {
    controllers = await startControllers(cluster, options);
    const kubelet = await startKubelet(client, {
      ...{ tickMs: 20, readiness, onError: console.error },
      ...(programs && { programs: programs(cluster) }),
    });
    const canaries = await canaryPart(client);
    return {
      cluster,
      client,
      controllers,
      part: (nodes) => startPart(client, canaries, nodes),
      async stop() {
        await kubelet.stop();
        await controllers?.stop();
        client.close();
        await cluster.stop();
      },
    };
  } catch (error) {
    await controllers?.stop();
    client.close();
    await cluster.stop();
    throw error;
  }
}

/** Image of which no pod becomes ready. */
export const brokenImage = "vllm/vllm-openai:v0.11.9";

const readiness: ReadinessScript = ({ spec }) =>
  spec.containers.some(({ image }) => image === brokenImage) ? "never" : 1;

const partLabel = "inference.test/part";
const changedWithinMs = 120_000;

/** The namespace's pods get a node selector by the API server's own PodNodeSelector. */
async function ownNodes(client: ApiClient, prefix: string): Promise<string> {
  const namespace = await freshNamespace(client, prefix);
  await client.request(
    "PATCH",
    `/api/v1/namespaces/${namespace}`,
    {
      metadata: {
        annotations: { "scheduler.alpha.kubernetes.io/node-selector": `${partLabel}=${namespace}` },
      },
    },
    mergePatchType,
  );
  return namespace;
}

async function startPart(
  client: ApiClient,
  canaries: Canaries,
  nodes: readonly GpuNode[],
): Promise<GpuPart> {
  const namespace = await ownNodes(client, "part");
  let made = 0;
  const addNodes = async (added: readonly (GpuNode | ClusterNode)[]) => {
    const labels = { [partLabel]: namespace };
    await Promise.all(
      added.map((node) => {
        const name = `${namespace}-${made++}`;
        return "metadata" in node
          ? createClusterNode(client, name, node, labels)
          : createNode(client, name, node.gpus, labels);
      }),
    );
  };
  const removeNodes = async () => {
    const names = Array.from({ length: made }, (_, at) => `${namespace}-${at}`);
    await Promise.all(names.map((name) => client.request("DELETE", `/api/v1/nodes/${name}`)));
  };
  await addNodes(nodes);
  const pods = async () =>
    (await client.request<{ items: Pod[] }>("GET", `/api/v1/namespaces/${namespace}/pods`)).items;
  const until = async (what: string, check: (pods: readonly Pod[]) => boolean) => {
    const deadline = Date.now() + changedWithinMs;
    for (;;) {
      const now = await pods();
      if (check(now)) return;
      if (Date.now() > deadline) throw new Error(`${namespace}: ${what}: ${now.map(placement)}`);
      await sleep(400);
    }
  };
  return {
    namespace,
    addNodes,
    removeNodes,
    pods,
    created: (count) => until(`not ${count} pods`, (now) => now.length === count),
    whenAll: (holds) => until("pods are not as awaited", (now) => now.every(holds)),
    emptied: () => until("pods are left", (now) => now.length === 0),
    settled: (count) => untilAtRest({ pods, count, canaries }),
  };
}

async function canaryPart(client: ApiClient): Promise<Canaries> {
  const namespace = await ownNodes(client, "canaries");
  // GPUs that no pod may use: Volcano counts the GPUs of all nodes when it admits a gang to the queue.
  await createNode(client, namespace, 100_000, { [partLabel]: namespace });
  return canariesIn(client, namespace);
}
