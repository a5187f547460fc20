import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import {
  type Envoy,
  type GatewayPool,
  type HttpRoute,
  startEnvoy,
} from "../../testing/envoy/start.ts";
import { type PickerProcess, startPicker } from "../../testing/pods/picker-process.ts";
import type { ExportingCluster } from "./exporting-cluster.ts";
import { fileSource, type ObjectSource } from "./object-source.ts";
import { poolRoute } from "./stack.ts";

/** A cluster that imports the pool: a gateway, and a picker for the import. */
export interface ImportingCluster {
  readonly picker: PickerProcess;
  readonly envoy: Envoy;
  readonly client: OpenAI;
  /** A gateway that knows no pods, for which the import is a pool of this failure mode. */
  gatewayOf(failureMode: "FailClose" | "FailOpen"): Promise<Envoy>;
  /** Returns its picker's state of the other clusters, once `wanted` accepts it. */
  clusters(wanted: (clusters: readonly KnownCluster[]) => boolean): Promise<KnownCluster[]>;
  /** When its picker stopped sending requests to a cluster, by its log. */
  noticedLossOf(cluster: string): number;
  /** Replaces the import. */
  use(clusters: readonly Pick<ExportingCluster, "entry">[]): void | Promise<void>;
  stop(): Promise<void>;
}

/** A cluster on the picker's page for operators. */
export interface KnownCluster {
  readonly name: string;
  readonly usable: boolean;
  readonly answers: boolean;
  readonly isEmpty: boolean;
  /** The Ready condition in the import. */
  readonly ready: string;
  readonly load?: { readonly readyEndpoints: number; readonly averageQueueSize: number };
}

export interface ImportingOptions {
  readonly clusters: readonly Pick<ExportingCluster, "entry">[];
  readonly args?: readonly string[];
  /** Source of its picker's import. Default: a file. */
  readonly source?: ObjectSource;
  /** Default: one that sends all requests to the import. */
  readonly route?: HttpRoute;
  /** The route's reference to the import. Default: the import. */
  readonly importedAs?: GatewayPool["pool"];
  /** Verifies gateways of other clusters. Default: they are spoken to in plain HTTP. */
  readonly backendTls?: GatewayPool["backendTls"];
  /** A pool of this cluster that the route leads to as well. */
  readonly local?: GatewayPool;
}

const metadata = { name: "pool", namespace: "default" };

/** The import with its clusters, as the multi-cluster controller writes it. */
const importOf = (clusters: readonly Pick<ExportingCluster, "entry">[]) => ({
  apiVersion: importKind.apiVersion,
  kind: importKind.kind,
  metadata,
  status: { clusters: clusters.map(({ entry }) => entry) },
});

export async function startImportingCluster({
  clusters,
  args = [],
  route = importRoute,
  importedAs = { kind: importKind.kind, metadata },
  local,
  backendTls,
  source = fileSource(),
}: ImportingOptions): Promise<ImportingCluster> {
  const use = (wanted: typeof clusters) => source.tell([importOf(wanted)]);
  await use(clusters);
  const serving = ["--secure-serving=false", "--drain-timeout=0s", "--remote-allow-loopback"];
  const picker = await startPicker({
    args: ["--import=pool", ...source.args, ...serving, ...args],
    env: source.env,
  });
  const picked = { picker: `127.0.0.1:${picker.ports.grpc}`, tls: false };
  const envoy = await startEnvoy({
    httpRoutes: [route],
    pools: [
      { pool: importedAs, ...picked, ...(backendTls && { backendTls }) },
      ...(local === undefined ? [] : [local]),
    ],
  });
  const known = async () => {
    const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/clusters`);
    return (await page.json()) as KnownCluster[];
  };
  return {
    picker,
    envoy,
    gatewayOf: (failureMode) =>
      startEnvoy({
        httpRoutes: [poolRoute],
        pools: [
          {
            pool: {
              metadata,
              spec: {
                selector: { matchLabels: { app: "elsewhere" } },
                targetPorts: [{ number: 8000 }],
                endpointPickerRef: { name: "epp", port: { number: 9002 }, failureMode },
              },
            },
            ...picked,
          },
        ],
      }),
    client: new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 }),
    use,
    noticedLossOf(cluster) {
      const notice = picker
        .log()
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as { ts: string; msg: string; cluster?: string })
        .findLast((line) => line.msg === "a cluster gets no requests" && line.cluster === cluster);
      if (notice === undefined)
        throw new Error(`it noticed no loss of ${cluster}\n${picker.log()}`);
      return Date.parse(notice.ts);
    },
    async clusters(wanted) {
      const deadline = Date.now() + 20_000;
      for (;;) {
        // A connection that was idle may be closed by the picker in the moment in which it is used again.
        const found = await known().catch((error: Error) => error);
        if (!(found instanceof Error) && wanted(found)) return found;
        if (Date.now() > deadline)
          throw new Error(
            `clusters are ${found instanceof Error ? found.message : JSON.stringify(found)}\n${picker.log()}`,
          );
        // The picker answers 20 reads of its pages per second.
        await sleep(60);
      }
    },
    async stop() {
      await envoy.stop();
      await picker.stop();
      source.stop();
    },
  };
}

/** All requests to the import named `pool`. */
const importRoute = {
  metadata: { name: "route", namespace: "default" },
  spec: {
    parentRefs: [{ name: "gateway" }],
    rules: [{ backendRefs: [{ group: importKind.group, kind: importKind.kind, name: "pool" }] }],
  },
};
