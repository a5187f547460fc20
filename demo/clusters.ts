import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as k8s from "@pulumi/kubernetes";
import {
  ClusterSet,
  ClusterSetMember,
  type InferenceServiceArgs,
  MultiClusterInferenceService,
} from "../components/index.ts";
import { recordProgram } from "../recorder/index.ts";
import { endpointPickerName } from "../sdk/names.ts";
import type { Cluster } from "../testing/api/api-server.ts";
import {
  giveCertificates,
  startClusterSet,
  startSetController,
  type TestClusterSet,
} from "../testing/clusters/cluster-set.ts";
import { applyObjects, deleteObjects, objectsOf } from "../testing/clusters/recorded-objects.ts";
import { startWatchdog } from "../testing/processes/watchdog.ts";
import { type LiveTraffic, startLiveTraffic } from "../testing/traffic/live-traffic.ts";
import type { DemoOptions } from "./options.ts";
import { ownImage } from "./plan.ts";
import { heading, printMessages, resourceTree } from "./report.ts";
import { readStory, type Story } from "./story.ts";
import { table } from "./table.ts";

/** `--clusters`: a story in several clusters, with requests to the first one's gateway while that cluster fails and recovers. */

const system = "inference-system";
const certificates = { secret: "picker", configMap: "picker-authorities" };
const requestsPerTable = 30;

export async function showClusters({
  story: number = 2,
  clusters: count,
}: DemoOptions): Promise<void> {
  const story = readStory(number, "default");
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-demo-"));
  const watchdog = startWatchdog(folder);
  const running: Array<{ stop(): Promise<unknown> }> = [];
  try {
    const names = Array.from({ length: count }, (_, at) => `cluster-${at + 1}`);
    console.error(
      `Starting ${count} clusters and a hub, with real API servers, Envoys, endpoint pickers\nand controller, and simulated pods and engines ...`,
    );
    const set = await startClusterSet({ members: names, folder, namespaces: [system] });
    running.push(set);
    await giveCertificates(set, { hostname: pickerOf(story), ...certificates });

    heading(`${story.title}, in ${count} clusters, by one program`);
    const { resources, diagnostics, succeeded } = await recorded(set, story);
    printMessages(diagnostics);
    if (!succeeded) throw new Error("the program failed; see the messages above");
    const objects = objectsOf(resources);
    const clientOf = (provider: string) => set.members.get(provider) ?? set.hub;
    await applyObjects(objects, clientOf);
    console.log(resourceTree(resources));
    running.push(await startSetController(set, system, join(folder, "controller")));

    const traffic = new Map<string, LiveTraffic>();
    for (const [name, cluster] of set.members) {
      await podsHaveAddresses(cluster);
      const place = { kubeconfig: cluster.kubeconfig, namespace: "default" };
      const live = await startLiveTraffic({ ...place, folder: join(folder, name) });
      running.push(live);
      traffic.set(name, live);
    }
    await showMoves(traffic);

    heading("Destroy");
    await deleteObjects(objects, clientOf);
    console.log(`  ${objects.length} objects deleted`);
  } finally {
    for (const each of running.reverse()) await each.stop();
    await watchdog.release();
  }
}

/** Host name of the picker's certificate. */
const pickerOf = ({ service: { metadata } }: Story) =>
  `${endpointPickerName(metadata.name)}.${metadata.namespace}.svc`;

/** Records the program, whose providers have the names of the clusters. */
function recorded(set: TestClusterSet, { service }: Story) {
  return recordProgram({
    project: "demo",
    stack: "clusters",
    config: ownImage,
    program: {
      async run() {
        const provider = (context: string) =>
          new k8s.Provider(context, { kubeconfig: set.kubeconfig, context });
        const clusters = [...set.members.keys()].map((name) => ({
          name,
          provider: provider(name),
        }));
        const metadata = { namespace: system };
        for (const { name, provider } of clusters)
          new ClusterSetMember(name, { metadata }, { provider });
        const members = clusters.map(({ name }) => ({ name, kubeconfigSecret: name }));
        new ClusterSet(
          "set",
          { metadata, members, importIntoExporters: true },
          { provider: provider("hub") },
        );
        new MultiClusterInferenceService(service.metadata.name, {
          metadata: { namespace: service.metadata.namespace },
          roles: service.spec.roles.map((role) =>
            role.componentType === "router"
              ? { name: role.name, componentType: role.componentType }
              : role,
          ) as InferenceServiceArgs["roles"],
          clusters,
          export: {
            serviceType: "LoadBalancer",
            certificateSecret: certificates.secret,
            allowedNetworks: ["127.0.0.0/8"],
            metrics: true,
          },
          route: {
            parentRefs: [{ name: "demo" }],
            picker: { tls: { caConfigMap: certificates.configMap } },
          },
        });
      },
    },
  });
}

/** Sends requests in the first cluster and shows which cluster served them. */
async function showMoves(traffic: ReadonlyMap<string, LiveTraffic>): Promise<void> {
  const [[home, first] = [undefined, undefined]] = traffic;
  if (first === undefined) return;
  await answered(first);
  const show = async (title: string) => {
    heading(title);
    const before = servedBy(traffic);
    for (let sent = 0; sent < requestsPerTable; sent += 1) await ask(first);
    const rows = [...servedBy(traffic)].map(([name, served]) => [
      name,
      String(served - (before.get(name) ?? 0)),
    ]);
    console.log(table([["CLUSTER", "REQUESTS AT ITS PODS"], ...rows]));
  };
  await show(`${requestsPerTable} requests at the gateway of ${home}`);
  const servedAtHome = () => servedBy(traffic).get(home ?? "") ?? 0;
  const untilHome = async () => {
    for (const before = servedAtHome(); servedAtHome() === before; await sleep(200))
      await ask(first);
  };
  await first.setReady(false);
  for (let before = -1; servedAtHome() !== before; await ask(first)) before = servedAtHome();
  await show(`The pods of ${home} are not ready`);
  await first.setReady(true);
  await untilHome();
  await show(`The pods of ${home} are ready again`);
  await first.cutOff();
  await answered(first);
  await show(`The model servers of ${home} have stopped, and its picker is unreachable`);
  await first.restore();
  await untilHome();
  await show(`${home} is back`);
}

const servedBy = (traffic: ReadonlyMap<string, LiveTraffic>) =>
  new Map([...traffic].map(([name, live]) => [name, live.servedCount()]));

const ask = ({ client }: LiveTraffic) =>
  client.completions.create({ model: "demo", prompt: "Where do I begin?", max_tokens: 2 });

/** Waits for the first answer after a change. */
async function answered(traffic: LiveTraffic): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await ask(traffic);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

async function podsHaveAddresses(cluster: Cluster): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { items } = await cluster.request<{ items: Array<{ status: { podIP?: string } }> }>(
      "GET",
      "/api/v1/namespaces/default/pods",
    );
    if (items.length > 0 && items.every(({ status }) => status.podIP !== undefined)) return;
    if (Date.now() > deadline) throw new Error("pods have no addresses after 30 s");
    await sleep(100);
  }
}
