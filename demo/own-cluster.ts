import { setTimeout as sleep } from "node:timers/promises";
import { capacity } from "../sdk/index.ts";
import { connect } from "../testing/api/api-client.ts";
import { startCluster } from "../testing/api/api-server.ts";
import type { Cluster } from "../testing/api/cluster.ts";
import { crdGroups } from "../testing/api/install-crds.ts";
import { upstreamCrds } from "../testing/api/upstream-crds.ts";
import { canariesIn, untilAtRest } from "../testing/clusters/at-rest.ts";
import { controllerCrdGroups, startControllers } from "../testing/controllers/start.ts";
import { type Stoppable, stopAll } from "../testing/processes/stop-all.ts";
import { startEndpointSliceController } from "../testing/stand-ins/endpoint-slices.ts";
import { startKubelet } from "../testing/stand-ins/kubelet.ts";
import { createNode } from "../testing/stand-ins/node.ts";
import type { Pod } from "../testing/stand-ins/objects.ts";
import { startStandIns } from "../testing/stand-ins/start.ts";
import { admitByPlacement } from "./gang-admission.ts";
import { type Location, nodesFor } from "./location.ts";
import type { DemoOptions } from "./options.ts";
import { restingPods } from "./resting-pods.ts";
import type { Story } from "./story.ts";
import { table } from "./table.ts";

/** The controllers and schedulers of a cluster: the real programs, or stand-ins. */
interface Workings extends Pick<Location, "settled" | "left"> {
  stop(): Promise<void>;
}

const realPrograms = [
  [
    "Real:",
    "kube-apiserver, etcd, kube-controller-manager, kube-scheduler, LeaderWorkerSet's manager and webhooks, Volcano's scheduler and controllers, Envoy, the endpoint picker",
  ],
  [
    "Simulated:",
    "nodes, kubelets, EndpointSlices, and an engine at the address of each pod. No container runs.",
  ],
];

const realAmongStandIns = [
  ["Real:", "kube-apiserver, etcd, Envoy, the endpoint picker"],
  [
    "Simulated:",
    "controllers, schedulers, kubelets, and an engine at the address of each pod. No container runs. Without --stand-ins, the real LeaderWorkerSet and Volcano create and schedule the pods.",
  ],
];

/** Starts a cluster on this machine. */
export async function startOwnCluster(options: DemoOptions, story: Story): Promise<Location> {
  console.log(`\n${table(options.standIns ? realAmongStandIns : realPrograms)}`);
  console.error("Starting the cluster ...");
  const nodes = nodesFor(story, options.gpus);
  const gpus = nodes.reduce((sum, node) => sum + node.gpus, 0);
  const groups = options.standIns ? crdGroups : [...crdGroups, ...controllerCrdGroups];
  const cluster = await startCluster({ crds: await upstreamCrds(groups) });
  try {
    if (options.namespace !== "default") await createNamespace(cluster, options.namespace);
    const start = options.standIns ? playedWorkings : realWorkings;
    const { settled, left, stop } = await start(cluster, options, story);
    return {
      words: `a cluster with ${gpus} GPUs`,
      kubeconfig: cluster.kubeconfig,
      schedules: !options.standIns,
      gpus,
      settled,
      left,
      async stop() {
        await stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

const createNamespace = (cluster: Cluster, name: string) =>
  cluster.request("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });

const onError = (error: unknown) =>
  console.error(`stand-in: ${error instanceof Error ? error.message : error}`);

async function playedWorkings(
  cluster: Cluster,
  { gpus, namespace }: DemoOptions,
  story: Story,
): Promise<Workings> {
  const free = nodesFor(story, gpus);
  const standIns = await startStandIns(cluster, {
    nodes: free.map((node, at) => ({ name: `node-${at}`, ...node })),
    admit: admitByPlacement(story.service, free),
    onError,
  });
  const settled = () => restingPods(cluster, namespace);
  return {
    settled,
    left: async () => (await settled()).length,
    stop: () => standIns.stop(),
  };
}

const canaryNamespace = "canaries";

/**
 * GPU nodes join when all pods are pending, as an autoscaler adds them. A gang then sees all free GPUs together, which the
 * placement assumes.
 */
async function realWorkings(
  cluster: Cluster,
  { gpus, namespace }: DemoOptions,
  story: Story,
): Promise<Workings> {
  const client = connect(cluster);
  const running: Stoppable[] = [];
  const stop = async () => {
    await stopAll(running);
    client.close();
  };
  const inNamespace = async <T>(path: string) =>
    (await client.request<{ items: T[] }>("GET", `${path.replace("*", namespace)}`)).items;
  const pods = () => inNamespace<Pod>("/api/v1/namespaces/*/pods");
  try {
    const controllers = await startControllers(cluster);
    running.push(controllers);
    running.push(await startKubelet(client, { tickMs: 20, onError }));
    running.push(await startEndpointSliceController(client, { onError }));
    await createNode(client, "node-without-gpus", 0);
    await createNamespace(cluster, canaryNamespace);
    const nodes = nodesFor(story, gpus);
    const canaries = canariesIn(client, canaryNamespace);
    let joined = false;
    const count = async () => {
      const deployments = await inNamespace<{ spec: { replicas: number } }>(
        "/apis/apps/v1/namespaces/*/deployments",
      );
      const { replicas } = capacity(story.service, nodes);
      const engines = replicas.reduce((sum, { size }) => sum + size, 0);
      return deployments.reduce((sum, { spec }) => sum + spec.replicas, engines);
    };
    const settled = async () => {
      const wanted = await count();
      if (!joined) {
        const made = async () => (await pods()).length === wanted;
        await until(made, controllers.failures);
        for (const [at, node] of nodes.entries()) {
          await createNode(client, `node-${at}`, node.gpus);
        }
        joined = true;
      }
      return await untilAtRest({ pods, count: wanted, canaries });
    };
    const left = async () => {
      await until(async () => (await pods()).length === 0, controllers.failures);
      return 0;
    };
    return { settled, left, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const withinMs = 120_000;

async function until(holds: () => Promise<boolean>, failures: () => string[]): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (failures().length > 0) throw new Error(failures().join("\n"));
    if (Date.now() > deadline)
      throw new Error(`the controllers did not create or delete the pods within ${withinMs} ms`);
    await sleep(100);
  }
}
