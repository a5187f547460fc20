import type { Replicas } from "../../../scheduling/endpoints/rendezvous.ts";
import type { Scheduler } from "../../../scheduling/profiles/scheduler.ts";
import type { SchedulingObserver } from "../../../scheduling/scheduling-observer.ts";
import { version } from "../../../sdk/version.ts";
import { systemClock } from "../../epp/clock.ts";
import { Datastore } from "../../epp/datastore/datastore.ts";
import { DecisionRing } from "../../epp/decisions/decision-ring.ts";
import { explainPage } from "../../epp/decisions/explain-page.ts";
import { maxReceiveBytes } from "../../epp/flags/serving.ts";
import type { ScrapeBudget } from "../../epp/model-servers/scrape-budget.ts";
import { Scraper, type ScraperOptions, UnreadablePage } from "../../epp/model-servers/scraper.ts";
import { shedSheddable } from "../../epp/request-path/admit.ts";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import type { EndpointPicker } from "../../epp/request-path/route.ts";
import { Tenants } from "../../epp/request-path/tenants.ts";
import {
  type ExtProcService,
  type ExtProcServiceOptions,
  extProcService,
} from "../../epp/server/ext-proc-service.ts";
import { debugState } from "../../epp/telemetry/debug-state.ts";
import { newTelemetry } from "../../epp/telemetry/telemetry.ts";
import type { Log } from "../../manager/log.ts";
import type { OperatorPages } from "../../manager/pages/operator-server.ts";
import { type FlowControlInputs, startFlowControl } from "./flow-control.ts";
import { type KvEventInputs, startKvEvents } from "./kv-events.ts";
import type { EndpointPickerOptions } from "./options.ts";

/** The parts that a configuration defines. */
export interface ConfiguredScheduling {
  readonly scheduler: Scheduler;
  /** Undefined without flow control. */
  readonly flowControl: Pick<FlowControlInputs, "settings" | "detectorType"> | undefined;
  /** Undefined if no prefix cache uses KV events. */
  readonly kvEvents?: KvEventInputs | undefined;
  /** Settings for scraping model servers; undefined if they are not scraped. */
  readonly scraping: Omit<ScraperOptions, "clock" | "intervalMs" | "onError"> | undefined;
}

export interface PoolPickerInputs {
  readonly options: Pick<
    EndpointPickerOptions,
    "scheduling" | "scaling" | "serving" | "objectiveWindowMs"
  >;
  configure(observer: SchedulingObserver, replicas: Replicas): Promise<ConfiguredScheduling>;
  /** Budget for the bodies of requests. */
  readonly bodies: BodyBudget;
  /** Budgets for streams and their bytes, shared with the pickers of other pools. Default: new ones. */
  readonly budgets?: Pick<ExtProcServiceOptions, "held" | "shares">;
  readonly tracing: EndpointPicker["tracing"];
  readonly log: Log;
  /**
   * Interval between two scrapes of a model server, in ms, called before each one. Default: the interval of the
   * options.
   */
  readonly scrapeIntervalMs?: () => number;
  /** Shared with the pickers of other pools. Default: a new budget. */
  readonly scrapeBudget?: ScrapeBudget;
}

/** The picker of one pool. */
export interface PoolPicker {
  readonly datastore: Datastore;
  /** Serves the streams of proxies. */
  readonly service: ExtProcService;
  readonly pages: OperatorPages;
  /** Sets the number of replicas that take requests. This one gets its share of the capacity. */
  share(replicas: number): void;
  /** Sends all queued requests to a server now. */
  closeQueues(): void;
  stop(): void;
}

/** Names of upstream's data source and extractor, which are labels of the error metrics. */
const dataSource = "metrics-data-source";
const extractor = "core-metrics-extractor";

/** Creates the picker of a pool: configuration, model servers, request path, metrics and pages. */
export async function startPoolPicker({
  options,
  configure,
  bodies,
  budgets,
  tracing,
  log,
  scrapeBudget,
  scrapeIntervalMs = () => options.scheduling.refreshMetricsIntervalMs,
}: PoolPickerInputs): Promise<PoolPicker> {
  const { serving } = options;
  const clock = systemClock;
  const datastore = new Datastore();
  const telemetry = newTelemetry(
    {
      snapshot: () => datastore.snapshot,
      now: clock.now,
      staleAfterMs: options.scheduling.staleAfterMs,
      objectiveWindowMs: options.objectiveWindowMs,
      prefixIndexes: () => scheduler.state.prefixIndexes(),
      excludedPairs: () => scheduler.state.excludedPairs(clock.now()),
      ejected: () => scheduler.state.servers.health.ejected(clock.now()),
      podHealth: () => scheduler.state.podHealth(datastore.snapshot.endpoints, clock.now()),
    },
    { commit: process.env.BUILD_COMMIT ?? "", version },
  );
  const replicas: Replicas = { count: 1 };
  const { scheduler, flowControl, scraping, kvEvents } = await configure(
    telemetry.scheduling,
    replicas,
  );
  const scraper =
    scraping &&
    new Scraper({
      ...scraping,
      clock,
      budget: scrapeBudget,
      intervalMs: scrapeIntervalMs,
      onReading: (endpoint) => {
        scheduler.state.settle(endpoint);
        flow?.admission.metricsRead(endpoint);
      },
      onError: (endpoint, error) => {
        if (error instanceof UnreadablePage) telemetry.extractFailed(dataSource, extractor);
        else telemetry.pollFailed(dataSource);
        log.debug("model server's metrics not read", {
          endpoint: endpoint.address,
          error: error.message,
        });
      },
    });
  const events = kvEvents && startKvEvents(kvEvents, { datastore, clock, log });
  datastore.onEndpoints((endpoints) => {
    scheduler.state.retain(endpoints);
    scraper?.watch(endpoints);
    events?.watch(endpoints);
  });
  const { modelLabel } = telemetry;
  const flow =
    flowControl &&
    startFlowControl({
      ...{ ...flowControl, scheduler, datastore, clock, modelLabel },
      scaling: options.scaling,
    });
  const admission = flow?.admission ?? shedSheddable;
  const decisions = new DecisionRing(options.scheduling.explainHistorySize);
  const picker = {
    ...(tracing && { tracing }),
    datastore,
    scheduler,
    admission: events?.admission(admission) ?? admission,
    decisions,
    bodies,
    tenants: new Tenants({
      header: options.scheduling.tenantHeader,
      perAddress: options.scheduling.tenantsPerAddress,
    }),
    observer: telemetry.observer,
    clock,
    options: options.scheduling,
  };
  const service = extProcService(picker, (error) => log.error("request failed", error), {
    ...budgets,
    maxReceiveBytes: maxReceiveBytes(serving),
    requestTimeoutMs: serving.requestTimeoutMs,
    maxStreamAgeMs: serving.maxStreamAgeMs,
  });
  const expireOld = () => scheduler.state.expire(clock.now() - serving.maxStreamAgeMs);
  const ageing = setInterval(expireOld, 10_000).unref();
  return {
    datastore,
    service,
    pages: {
      get families() {
        return [...telemetry.families, ...(flow?.families ?? []), ...(events?.families ?? [])];
      },
      open: {
        "/responses": telemetry.responses,
        ...(flow?.scaling && { "/scaling": flow.scaling }),
      },
      debug: {
        "/debug/state": () => ({
          ...debugState(datastore.snapshot, clock.now()),
          excludedPairs: scheduler.state.excludedPairs(clock.now()),
          ejected: scheduler.state.servers.health.ejected(clock.now()),
        }),
        ...(flow && { "/debug/flows": flow.debug }),
        ...(events && { "/debug/kv-events": events.debug }),
        "/debug/explain": (query) => explainPage(decisions, query, clock.now()),
      },
    },
    share(count) {
      replicas.count = count;
      flow?.admission.share(count);
    },
    closeQueues: () => flow?.admission.close(),
    stop() {
      flow?.admission.close();
      scraper?.stop();
      events?.stop();
      clearInterval(ageing);
    },
  };
}
