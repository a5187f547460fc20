import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CoreV1Api, KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { nodesOf } from "../../sdk/index.ts";
import { startCluster } from "../harness/api-server.ts";
import { installCrds } from "../harness/install-crds.ts";
import { startStandIns } from "../harness/stand-ins/start.ts";
import { showClusters } from "./clusters.ts";
import { admitByForecast } from "./gang-admission.ts";
import { type DemoOptions, readOptions } from "./options.ts";
import { forecast, gpusNeeded, heading, podTable } from "./report.ts";
import { demoStack } from "./stack.ts";
import { readStory, type Story } from "./story.ts";
import { showTraffic } from "./traffic.ts";

/** `npm run demo`: brings up a story on a cluster, shows what it is made of, and destroys it. */

const gpusPerNode = 8;

/** A cluster to show a story on. */
interface Place {
  readonly words: string;
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  readonly gpus: number;
  stop(): Promise<void>;
}

async function demo(options: DemoOptions): Promise<void> {
  if (options.clusters > 1) return await showClusters(options);
  const story = readStory(options.story, options.namespace);
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-demo-"));
  const place =
    options.context === undefined ? await ownCluster(options, story) : otherCluster(options, story);
  try {
    const stack = demoStack({ manifest: story.writeTo(folder), ...place, folder });
    heading(`Story ${story.number}, ${story.title}, on ${place.words}, by ${stack.engine}`);
    await stack.up();
    heading("Pods");
    console.log(podTable(await settledPods(place, options.namespace)));
    if (options.context === undefined) {
      heading(
        "Traffic: OpenAI's client, Envoy, the endpoint picker, a simulated server for each pod",
      );
      await showTraffic({ ...place, namespace: options.namespace, folder });
    }
    heading(`Forecast on nodes of ${gpusPerNode} GPUs`);
    console.log(forecast(story.service, gpusPerNode, place.gpus));
    if (options.keep) await untilInterrupted(place);
    heading("Destroy");
    await stack.destroy();
    const left = (await settledPods(place, options.namespace)).filter((pod) => isOf(pod, story));
    console.log(`  ${left.length} pods left`);
  } finally {
    await place.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ownCluster({ gpus, namespace }: DemoOptions, { service }: Story): Promise<Place> {
  const total = gpus ?? Math.ceil(gpusNeeded(service) / gpusPerNode) * gpusPerNode;
  const free = nodesOf(total, gpusPerNode);
  const nodes = free.map((node, at) => ({ name: `node-${at}`, ...node }));
  console.error(
    "Starting a cluster of our own: kube-apiserver and etcd, and stand-ins for what makes and runs pods ...",
  );
  const cluster = await startCluster();
  if (namespace !== "default") {
    const metadata = { name: namespace };
    await cluster.request("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata,
    });
  }
  await installCrds(cluster);
  const standIns = await startStandIns(cluster, {
    nodes,
    admit: admitByForecast(service, free),
    onError: (error) => console.error(`stand-in: ${error.message}`),
  });
  return {
    words: `a cluster of our own with ${total} GPUs`,
    kubeconfig: cluster.kubeconfig,
    gpus: total,
    async stop() {
      await standIns.stop();
      await cluster.stop();
    },
  };
}

function otherCluster({ context, kubeconfig, gpus }: DemoOptions, { service }: Story): Place {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  config.setCurrentContext(context ?? config.getCurrentContext());
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) {
    const known = config.getContexts().map(({ name }) => name);
    throw new Error(
      `context ${context} is not in the kubeconfig; it has ${known.join(", ") || "none"}`,
    );
  }
  return {
    words: `context ${context} (${server})`,
    kubeconfig:
      kubeconfig ?? process.env.KUBECONFIG ?? join(process.env.HOME ?? "", ".kube", "config"),
    context,
    gpus: gpus ?? gpusNeeded(service),
    stop: async () => {},
  };
}

/** The pods once they have not changed for a moment; a cluster that never rests is shown as it is after 30 s. */
async function settledPods(place: Place, namespace: string): Promise<V1Pod[]> {
  const config = new KubeConfig();
  config.loadFromFile(place.kubeconfig);
  if (place.context !== undefined) config.setCurrentContext(place.context);
  const api = config.makeApiClient(CoreV1Api);
  let before = "";
  for (let quiet = 0, round = 0; ; round += 1) {
    const { items } = await api.listNamespacedPod({ namespace });
    const now = items.map(({ metadata }) => metadata?.resourceVersion).join();
    quiet = now === before ? quiet + 1 : 0;
    if (quiet === 4 || round === 60) return items;
    before = now;
    await sleep(500);
  }
}

const isOf = ({ metadata }: V1Pod, { service }: Story) =>
  metadata?.labels?.["fusioninfer.io/service"] === service.metadata.name;

async function untilInterrupted({ kubeconfig }: Place): Promise<void> {
  heading("Kept until Ctrl-C");
  console.log(`  export KUBECONFIG=${kubeconfig}`);
  const alive = setInterval(() => {}, 60_000);
  await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  clearInterval(alive);
}

try {
  await demo(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
