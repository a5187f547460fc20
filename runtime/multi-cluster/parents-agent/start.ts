import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { objectPath } from "../../../kubernetes/paths.ts";
import { importSupportOf } from "../../../sdk/gateways/index.ts";
import { planImportedPool } from "../../../sdk/plan/multi-cluster/imported-pool.ts";
import { importedPoolKey } from "../../../sdk/plan/pools/parents-agent.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import { systemClock } from "../../epp/clock.ts";
import type { Log } from "../../manager/log.ts";
import type { Stoppable } from "../../manager/program.ts";
import type { ParentOptions } from "../import-picker/flags.ts";
import { gatewayProbes } from "../import-picker/gateway-probes.ts";
import { ClusterSet } from "../imports/cluster-set.ts";
import { type ImportLocation, openImport } from "../imports/open-import.ts";
import type { RemoteCluster } from "../imports/remote-cluster.ts";
import { plaintext } from "../imports/remote-security.ts";
import { withParents } from "./parents-of-import.ts";
import { RouteWriter } from "./route-writer.ts";

export interface ParentsAgentOptions {
  readonly location: ImportLocation;
  /** Name of the ConfigMap that defines the route. */
  readonly importedPool: string;
  readonly failbackDelayMs: number;
  readonly allowLoopback: boolean;
  readonly parent: ParentOptions;
}

/**
 * Interval between two checks for changes, and age at which everything is written again in case another client changed
 * it, in ms.
 */
const intervalMs = 500;
const rewriteAfterMs = 30_000;

/** Locations do not matter: the agent uses the health of the clusters, not their order. */
const nowhere = { region: undefined, zone: undefined };

/**
 * Keeps the route to an imported pool up to date. The written objects stay when the agent stops, so that gateways keep
 * using them.
 */
export async function startParentsAgent(
  options: ParentsAgentOptions,
  log: Log,
): Promise<Stoppable> {
  const { location, importedPool, failbackDelayMs, allowLoopback } = options;
  const { source, client } = openImport(location, log);
  if (client === undefined) throw new Error("the route is written to an API server");
  const probes = await gatewayProbes(options.parent, location.namespace, 1, log, () => set.renew());
  const set = new ClusterSet({
    policy: {
      ...{ selection: "health-based", preference: "Any", spilloverQueueThreshold: 1, order: [] },
      ...{ weights: new Map(), location: nowhere },
    },
    ...{ localCluster: undefined, hopLimit: 1, clock: systemClock, log },
    ...{ security: plaintext, metricsSecurity: plaintext, gateways: probes.probes },
    loopback: allowLoopback,
    health: { failures: 2, failbackDelayMs },
  });
  let clusters: readonly RemoteCluster[] | undefined;
  source.start((found) => {
    // Pickers are ignored: local gateways send requests to gateways of other clusters.
    clusters = found
      .filter(({ mode }) => mode === "ParentMode")
      .map((cluster) => ({ ...cluster, picker: undefined }));
    set.update(clusters);
  });
  const agent = new ParentsAgent(client, location.namespace, importedPool, log);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const probe = async () => {
    const usable = new Set(set.all.filter((each) => each.usable).map(({ name }) => name));
    if (clusters !== undefined && source.synced()) await agent.write(clusters, usable);
    if (!stopped) timer = setTimeout(run, intervalMs);
  };
  let running: Promise<void> = Promise.resolve();
  const run = () => {
    running = probe();
  };
  run();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      await source.stop();
      set.stop();
      probes.stop();
      client.close();
    },
  };
}

/** Writes the route if something has changed or the last write is too old. */
class ParentsAgent {
  readonly #client: KubernetesClient;
  readonly #namespace: string;
  readonly #importedPool: string;
  readonly #log: Log;
  #written: { readonly text: string; readonly at: number } | undefined;
  #reported = "";

  constructor(client: KubernetesClient, namespace: string, importedPool: string, log: Log) {
    this.#client = client;
    this.#namespace = namespace;
    this.#importedPool = importedPool;
    this.#log = log;
  }

  async write(clusters: readonly RemoteCluster[], usable: ReadonlySet<string>): Promise<void> {
    const fresh = systemClock.now() - (this.#written?.at ?? 0) < rewriteAfterMs;
    const seen = JSON.stringify([clusters, [...usable].sort()]);
    if (fresh && seen === this.#written?.text) return;
    try {
      await this.#writeRoute(clusters, usable);
      if (this.#written?.text !== seen)
        this.#log.info("route written", { clusters: clusters.length, usable: [...usable] });
      this.#written = { text: seen, at: systemClock.now() };
      this.#report("");
    } catch (error) {
      this.#report((error as Error).message, error);
    }
  }

  async #writeRoute(
    clusters: readonly RemoteCluster[],
    usable: ReadonlySet<string>,
  ): Promise<void> {
    const [namespace, name] = [this.#namespace, this.#importedPool];
    const { data } = await this.#client.request<{
      data?: Readonly<Record<string, string>>;
    }>("GET", objectPath(kinds.ConfigMap, { namespace, name }));
    const account = await this.#client.request<{ metadata: { uid: string } }>(
      "GET",
      objectPath(kinds.ServiceAccount, { namespace, name }),
    );
    const written = JSON.parse(data?.[importedPoolKey] ?? "null") as never;
    const pool = parseKind(importedPoolSpecKind, written);
    const { spec, problems } = withParents(pool.spec, clusters, usable);
    for (const problem of problems) this.#log.warn(problem);
    const objects = planImportedPool({ ...pool, spec: { ...spec, createNamespace: false } });
    const { kinds: backends = [] } = importSupportOf(spec.gateway.type).parents ?? {};
    const owner = { name, namespace, uid: account.metadata.uid };
    await new RouteWriter(this.#client, owner).write(objects, backends);
  }

  /** Logs a repeated failure only once. */
  #report(failure: string, error?: unknown): void {
    if (failure !== this.#reported && failure !== "") this.#log.error("route not written", error);
    this.#reported = failure;
  }
}
