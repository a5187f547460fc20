import { newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { systemClock } from "../../epp/clock.ts";
import { ScrapeBudget } from "../../epp/model-servers/scrape-budget.ts";
import { BodyBudget, SharedBodyBudget } from "../../epp/request-path/body-budget.ts";
import { extProcTls } from "../../epp/serve.ts";
import { newStreamShares } from "../../epp/server/open-streams.ts";
import { pickerHealth } from "../../epp/server/picker-health.ts";
import { PickerReplicas } from "../../epp/sources/picker-replicas.ts";
import { type SharedPool, SharedPoolsSource } from "../../epp/sources/shared-pools-source.ts";
import { HeldBytes } from "../../manager/held-bytes.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import { openTracing } from "../../manager/tracing/tracing.ts";
import type { EndpointPickerOptions, SharedPickerOptions } from "./options.ts";
import { parts } from "./parts.ts";
import { poolFamilies } from "./pool-families.ts";
import { poolPages } from "./pool-pages.ts";
import { startPoolPicker } from "./pool-picker.ts";
import { PoolRegistry } from "./pool-registry.ts";

/** Interval between two scrapes of a model server of an idle pool, in ms. */
const idleScrapeMs = 1_000;

/** Starts a picker for every pool of its namespace that names its Service, each at the port that the pool names. */
export async function startSharedPicker(
  options: SharedPickerOptions,
  log: Log,
): Promise<Running<object>> {
  const { serving, pageTls, operations, namespace, service, ownPod } = options;
  const client = newKubernetesClient(loadKubeConfig());
  const onProblem = (key: string, message: string) => log.error(`${key}: ${message}`);
  const budget = new SharedBodyBudget(serving.maxBufferedBytes);
  const budgets = { held: new HeldBytes(), shares: newStreamShares() };
  const tracing = await openTracing(options.tracing, log);
  const scrapeBudget = new ScrapeBudget();
  const newPicker = (pool: SharedPool, isIdle: () => boolean) => {
    const own = optionsOf(options, pool);
    const often = options.scheduling.refreshMetricsIntervalMs;
    return startPoolPicker({
      options: own,
      configure: (observer, replicas) => parts.configure(own, log, observer, replicas),
      bodies: new BodyBudget({
        maxBody: serving.maxBodyBytes,
        maxTotal: budget.maxTotal,
        now: systemClock.now,
        budget,
      }),
      ...{ tracing, log, scrapeBudget, budgets },
      scrapeIntervalMs: () => (isIdle() ? Math.max(often, idleScrapeMs) : often),
    });
  };
  const served = new PoolRegistry({
    ...{ newPicker, log },
    tls: await extProcTls(options.tls, log),
    ownPorts: new Set([operations.healthPort, operations.metricsPort]),
    drainMs: serving.drainTimeoutMs,
    answersMs: serving.shutdownTimeoutMs,
  });
  let known = false;
  const source = new SharedPoolsSource({
    ...{ client, namespace, service, onProblem },
    onPools: (pools) => {
      void served.update(pools).then(() => {
        known = true;
      });
    },
  });
  const replicas =
    ownPod === undefined
      ? undefined
      : new PickerReplicas({
          ...{ client, namespace, ownPod },
          onCount: (count) => served.share(count),
          onProblem: (message) => onProblem(`replicas of pod ${ownPod}`, message),
        });
  const healthRules = pickerHealth(false);
  const manager = new Manager({ log, operations, pageTls, client, lease: undefined, healthRules });
  return manager.run({
    pages: {
      get families() {
        return poolFamilies(
          new Map([...served.pickers].map(([name, { pages }]) => [name, pages.families])),
        );
      },
      debug: poolPages(served),
    },
    facts: { namespace, service },
    isReady: () => known,
    start() {
      source.start();
      replicas?.start();
      return {};
    },
    drain: { windowMs: serving.drainTimeoutMs, running: () => served.openStreams },
    async stop() {
      await source.stop();
      await served.stop();
      await Promise.all([replicas?.stop(), tracing?.close()]);
    },
  });
}

/** Returns the options of the picker of one of the pools. */
const optionsOf = (
  { scheduling, namespace, ...options }: SharedPickerOptions,
  { pool, config, tenantHeader, unparsedBodies = scheduling.unparsedBodies }: SharedPool,
): EndpointPickerOptions => ({
  ...options,
  mode: "pool",
  pool: { kind: "pool", group: pool.group, namespace, name: pool.name },
  config: config === undefined ? undefined : { text: config },
  scaling: undefined,
  scheduling: { ...scheduling, tenantHeader, unparsedBodies },
});
