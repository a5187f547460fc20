import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { type CuttableProxy, startCuttableProxy } from "../../testing/proxies/cuttable-proxy.ts";
import { type KubernetesClient, newKubernetesClient } from "../api/client.ts";
import { loadKubeConfig } from "../api/load-kubeconfig.ts";
import type { KubernetesObject } from "../values/object.ts";
import { Reflector } from "./reflector.ts";

/** A real API server whose etcd is restored from a copy of its data directory. */

const withinMs = 60_000;

let cluster: Cluster;
let proxy: CuttableProxy;
let client: KubernetesClient;
let path: string;
let reflector: Reflector<string>;
let problems: string[];

beforeAll(async () => {
  cluster = await startCluster();
  proxy = await startCuttableProxy(Number(new URL(cluster.url).port));
}, 180_000);
afterAll(async () => {
  await proxy?.stop();
  await cluster?.stop();
});

beforeEach(async () => {
  const config = loadKubeConfig({ file: cluster.kubeconfig });
  const address = config.getCurrentCluster();
  if (address === null) throw new Error("the kubeconfig has a cluster");
  config.clusters = [{ ...address, server: `https://127.0.0.1:${proxy.port}` }];
  client = newKubernetesClient(config);
  path = `/api/v1/namespaces/${await freshNamespace(cluster)}/configmaps`;
  problems = [];
});
afterEach(async () => {
  await reflector.stop();
  client.close();
});

/** Keeps the value of each ConfigMap. */
function start(reader: KubernetesClient = client) {
  reflector = new Reflector<string>({
    client: reader,
    path,
    trim: (object: KubernetesObject & { data?: { value?: string } }) => object.data?.value ?? "",
    onState: (state) => {
      if (state.kind === "failing") problems.push(state.error.message);
    },
  });
  reflector.start();
}

const create = (name: string, value: string) =>
  cluster.request("POST", path, {
    ...{ apiVersion: "v1", kind: "ConfigMap" },
    ...{ metadata: { name }, data: { value } },
  });
const change = (name: string, value: string) =>
  cluster.request("PATCH", `${path}/${name}`, { data: { value } }, "application/merge-patch+json");
const remove = (name: string) => cluster.request("DELETE", `${path}/${name}`);

const values = () =>
  Object.fromEntries([...reflector.objects].map(([key, value]) => [key.split("/")[1], value]));

const known = (expected: Record<string, string>) =>
  vi.waitFor(() => expect(values()).toEqual(expected), { timeout: withinMs, interval: 100 });

/** Takes a backup, and makes changes that the restore undoes. */
async function loseChanges() {
  await create("kept", "kept");
  await create("changed", "old");
  await create("deleted", "deleted");
  cluster.backup.take();
  await change("changed", "new");
  await remove("deleted");
  await create("created", "created");
  await known({ kept: "kept", changed: "new", created: "created" });
}

const restored = { kept: "kept", changed: "old", deleted: "deleted" };

it("a reflector has the restored objects within 60 s, and watches them", {
  timeout: 180_000,
}, async () => {
  start();
  await loseChanges();
  await cluster.backup.restore();
  await known(restored);
  await change("kept", "changed");
  await known({ ...restored, kept: "changed" });
});

it("a reflector has the restored objects if later writes reuse versions that it knows", {
  timeout: 180_000,
}, async () => {
  start();
  await loseChanges();
  const newest = Number(reflector.resourceVersion);
  await proxy.cut();
  await cluster.backup.restore();
  let kept = "kept";
  for (let at = 0; Number(await versionOf("kept")) <= newest; at += 1) {
    kept = String(at);
    await change("kept", kept);
  }
  await proxy.restore();
  await known({ ...restored, kept });
});

it("a reflector lists again if it knows a version that the server has not reached", {
  timeout: 180_000,
}, async () => {
  await create("first", "1");
  let lists = 0;
  start({
    ...client,
    async request(...args) {
      const list = await client.request<{ metadata: { resourceVersion: string } }>(...args);
      lists += 1;
      if (lists === 1) list.metadata.resourceVersion = "1000000";
      return list as never;
    },
    // A real server accepts this watch and sends no events.
    watch: (watched, options) =>
      client.watch(watched, { ...options, query: { ...options.query, timeoutSeconds: "3" } }),
  });
  await known({ first: "1" });
  await create("second", "2");
  await known({ first: "1", second: "2" });
  expect(problems.join()).toContain("went back from 1000000 to");
});

it("an API server sends one id of its cluster with its watches, also after a restore", {
  timeout: 180_000,
}, async () => {
  const clusters: Array<string | undefined> = [];
  start({
    ...client,
    watch: (watched, options) =>
      client.watch(watched, {
        ...options,
        query: { ...options.query, timeoutSeconds: "2" },
        onOpen: (cluster) => {
          clusters.push(cluster);
          options.onOpen?.(cluster);
        },
      }),
  });
  await vi.waitFor(() => expect(clusters).toHaveLength(1), { timeout: withinMs });
  cluster.backup.take();
  await cluster.backup.restore();
  await vi.waitFor(() => expect(clusters.length).toBeGreaterThan(2), { timeout: withinMs });
  expect(clusters[0]).toMatch(/^[0-9a-f-]{36}$/);
  // A server that has just started sends no id.
  expect(new Set(clusters.filter((each) => each !== undefined)).size).toBe(1);
});

async function versionOf(name: string) {
  const { metadata } = await cluster.request<KubernetesObject>("GET", `${path}/${name}`);
  return metadata.resourceVersion;
}
