import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, writeKubeconfig } from "../../testing/api/cluster.ts";
import { findEnvoy } from "../../testing/envoy/install.ts";
import { type CuttableProxy, startCuttableProxy } from "../../testing/proxies/cuttable-proxy.ts";
import { kindsOf } from "../multi-cluster/cluster-set.fixture.ts";
import { type ExportingCluster, startExportingCluster } from "./exporting-cluster.ts";
import { type ImportingCluster, startImportingCluster } from "./importing-cluster.ts";
import { apiServerSource } from "./object-source.ts";
import { loseAndReturn } from "./random-losses.ts";
import { startRate } from "./steady-load.ts";

/** Clusters whose API servers are away while model servers or pickers are lost: one API server plays all of them. */

/** The second is reached by way of its gateway. */
const names = ["a", "b"];
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-away-"));
let cluster: Cluster;
let proxy: CuttableProxy;
let clusters: ExportingCluster[];
let from: ImportingCluster;
beforeAll(async () => {
  await findEnvoy();
  cluster = await startCluster({ crds: await kindsOf(false) });
  proxy = await startCuttableProxy(Number(new URL(cluster.url).port));
  const url = `https://127.0.0.1:${proxy.port}`;
  const kubeconfig = writeKubeconfig(folder, { ...cluster, url });
  for (const name of [...names, "here"])
    await cluster.request("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    });
  const sourceOf = (namespace: string) => apiServerSource(cluster, kubeconfig, namespace);
  clusters = await Promise.all(
    names.map((name, at) =>
      startExportingCluster({
        ...{ name, source: sourceOf(name) },
        mode: at === 0 ? "EndpointMode" : "ParentMode",
      }),
    ),
  );
  const args = [
    "--import-selection=health-based",
    "--remote-plaintext",
    "--import-failback-delay=200ms",
    "--parent-probe-path=/v1/models",
  ];
  from = await startImportingCluster({ clusters, args, source: sourceOf("here") });
  await from.clusters((known) => known.every(({ usable, isEmpty }) => usable && !isEmpty));
}, 300_000);
afterAll(async () => {
  await from?.stop();
  for (const each of clusters ?? []) await each.stop();
  await proxy?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("serves 100 requests a second while a cluster loses its servers and its picker, without any API server", async () => {
  const [a, b] = clusters as [ExportingCluster, ExportingCluster];
  const lose = (name: "pods" | "servers" | "pickerHangs", lost = a) =>
    loseAndReturn(from, clusters, lost, name, () => startRate(from.client, 100));
  // The API server still runs, so the picker learns of removed pods.
  await lose("pods");
  await proxy.cut();
  await lose("servers");
  await lose("pickerHangs");
  await lose("servers", b);
  await proxy.restore();
  await lose("pods");
  expect(from.picker.log()).toContain("a cluster has no endpoints");
}, 180_000);
