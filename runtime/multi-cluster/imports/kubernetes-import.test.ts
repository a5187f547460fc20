import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import { startCluster } from "../../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { crdsWithOwn } from "../../../testing/api/install-crds.ts";
import { type CuttableProxy, startCuttableProxy } from "../../../testing/proxies/cuttable-proxy.ts";
import { KubernetesImport } from "./kubernetes-import.ts";
import type { RemoteCluster } from "./remote-cluster.ts";

/** An import from a real API server whose connection can be cut. */

let cluster: Cluster;
let proxy: CuttableProxy;
let client: KubernetesClient;
let namespace: string;
let source: KubernetesImport;
let told: readonly RemoteCluster[] | undefined;
let problems: string[];

beforeAll(async () => {
  cluster = await startCluster({ crds: await crdsWithOwn([]) });
  proxy = await startCuttableProxy(Number(new URL(cluster.url).port));
  const config = loadKubeConfig({ file: cluster.kubeconfig });
  const address = config.getCurrentCluster();
  if (address === null) throw new Error("the kubeconfig has a cluster");
  config.clusters = [{ ...address, server: `https://127.0.0.1:${proxy.port}` }];
  client = newKubernetesClient(config);
}, 180_000);
afterAll(async () => {
  client?.close();
  await proxy?.stop();
  await cluster?.stop();
});

beforeEach(async () => {
  namespace = await freshNamespace(cluster);
  told = undefined;
  problems = [];
  source = new KubernetesImport({
    ...{ client, namespace, name: "pool" },
    onProblem: (key, message) => problems.push(`${key}: ${message}`),
    timing: { backOff: { firstMs: 20, longestMs: 100 } },
  });
});
afterEach(() => source.stop());

const start = () =>
  source.start((clusters) => {
    told = clusters;
  });
const names = () => told?.map(({ name }) => name);
const soon = { timeout: 20_000, interval: 20 };

const imports = () =>
  `/apis/inference.networking.x-k8s.io/v1alpha1/namespaces/${namespace}/inferencepoolimports`;
const createImport = (name = "pool") =>
  cluster.request<{ metadata: { uid: string } }>("POST", imports(), {
    apiVersion: "inference.networking.x-k8s.io/v1alpha1",
    kind: "InferencePoolImport",
    metadata: { name, namespace },
    spec: {},
  });
const entry = (name: string) => ({ name, routingMode: "EndpointMode", targetPortNumber: 8000 });
const setClusters = (...clusters: string[]) =>
  cluster.request(
    "PATCH",
    `${imports()}/pool/status`,
    { status: { clusters: clusters.map(entry) } },
    mergePatchType,
  );
const annotate = (...clusters: string[]) => {
  const detail = JSON.stringify({ controller: "c/d", clusters: clusters.map(entry) });
  const annotations = { "pulumi-inference/import-detail": detail };
  return cluster.request(
    "PATCH",
    `${imports()}/pool`,
    { metadata: { annotations } },
    mergePatchType,
  );
};
const setExporters = (...names: string[]) =>
  cluster.request(
    "PATCH",
    `${imports()}/pool/status`,
    {
      status: {
        controllers: [{ name: "c/d", exportingClusters: names.map((name) => ({ name })) }],
      },
    },
    mergePatchType,
  );

it("the source follows the clusters of its import, and of no other import", async () => {
  await createImport("another");
  await createImport();
  await setClusters("a");
  start();
  await expect.poll(names, soon).toEqual(["a"]);
  expect(source.synced()).toBe(true);
  await setClusters("a", "b");
  await expect.poll(names, soon).toEqual(["a", "b"]);
});

it("the source waits for a missing import, and reports it once", async () => {
  start();
  await expect.poll(() => told, soon).toEqual([]);
  expect(source.synced()).toBe(false);
  expect(problems).toEqual([
    `InferencePoolImport ${namespace}/pool: does not exist: no other cluster exports the pool, or there is no multi-cluster controller`,
  ]);
  await createImport();
  await setClusters("a");
  await expect.poll(names, soon).toEqual(["a"]);
  await cluster.request("DELETE", `${imports()}/pool`);
  await expect.poll(names, soon).toEqual([]);
});

it("clusters are read from the annotation if the status has none", async () => {
  await createImport();
  await annotate("a");
  start();
  await expect.poll(names, soon).toEqual(["a"]);
  await setClusters("b");
  await expect.poll(names, soon).toEqual(["b"]);
});

it("an import from an older controller is reported with the advice to update the controller", async () => {
  await createImport();
  await setExporters("a");
  start();
  await expect.poll(() => source.synced(), soon).toBe(true);
  expect(told).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(
      /has no addresses of the exporting clusters.* older version that wrote a ConfigMap; update the controller in the hub$/,
    ),
  ]);
  await annotate("a");
  await expect.poll(names, soon).toEqual(["a"]);
});

it("clusters stay the same while the API server is unreachable", async () => {
  await createImport();
  await setClusters("a");
  start();
  await expect.poll(names, soon).toEqual(["a"]);
  await proxy.cut();
  await setClusters("a", "b");
  await expect.poll(() => problems.length, soon).toBeGreaterThan(0);
  expect(names()).toEqual(["a"]);
  await proxy.restore();
  await expect.poll(names, soon).toEqual(["a", "b"]);
});
