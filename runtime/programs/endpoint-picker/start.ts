import type { Scheduler } from "../../../scheduling/scheduler.ts";
import type { SchedulingObserver } from "../../../scheduling/scheduling-observer.ts";
import { version } from "../../../sdk/version.ts";
import { systemClock } from "../../endpoint-picker/clock.ts";
import { Datastore } from "../../endpoint-picker/datastore/datastore.ts";
import type { PoolSource } from "../../endpoint-picker/datastore/pool-objects.ts";
import {
  Scraper,
  type ScraperOptions,
  UnreadablePage,
} from "../../endpoint-picker/model-servers/scraper.ts";
import { shedSheddable } from "../../endpoint-picker/request-path/admit.ts";
import { BodyRoom } from "../../endpoint-picker/server/body-room.ts";
import { extProcService } from "../../endpoint-picker/server/ext-proc-stream.ts";
import { healthRules, isReady } from "../../endpoint-picker/server/readiness.ts";
import { serveExtProc, serveOperators } from "../../endpoint-picker/server/serve.ts";
import { debugState } from "../../endpoint-picker/telemetry/debug-state.ts";
import { newTelemetry } from "../../endpoint-picker/telemetry/telemetry.ts";
import { serveHealth } from "../../manager/health/health-server.ts";
import { statusOf } from "../../manager/health/health-service.ts";
import type { Log } from "../../manager/log.ts";
import type { ReviewApi } from "../../manager/pages/access-review.ts";
import { drain, stopServer, type TerminationSignal } from "../../manager/termination.ts";
import type { EndpointPickerOptions } from "./options.ts";

/** What a configuration becomes. */
export interface ConfiguredScheduling {
  readonly scheduler: Scheduler;
  /** How model servers' metrics are read, where the configuration says. */
  /** Undefined where they are not read. */
  readonly scraping: Omit<ScraperOptions, "clock" | "intervalMs" | "onError"> | undefined;
}

/** Where a picker learns of its pool, and what else it asks there. */
export interface PoolConnection {
  readonly source: PoolSource;
  /** Undefined where there is no API server. */
  readonly reviews: ReviewApi | undefined;
  /** Undefined without leader election. */
  readonly election: Election | undefined;
}

export interface Election {
  start(): void;
  isLeader(): boolean;
  release(): Promise<void>;
}

/** The parts of other folders that a picker is put together from. */
export interface Parts {
  configure(
    options: EndpointPickerOptions,
    log: Log,
    observer: SchedulingObserver,
  ): Promise<ConfiguredScheduling>;
  connect(options: EndpointPickerOptions, log: Log): Promise<PoolConnection>;
}

export interface RunningPicker {
  readonly ports: { readonly grpc: number; readonly health: number; readonly metrics: number };
  /** Ends it without failing requests. */
  drain(signal: TerminationSignal): Promise<void>;
}

/** Names of the upstream's data source and extractor, by which metrics tell of errors. */
const dataSource = "metrics-data-source";
const extractor = "core-metrics-extractor";

/** Puts a picker together and starts it: configuration, pool, model servers, request path, servers. */
export async function startEndpointPicker(
  options: EndpointPickerOptions,
  parts: Parts,
  log: Log,
): Promise<RunningPicker> {
  const clock = systemClock;
  const datastore = new Datastore();
  const telemetry = newTelemetry(
    {
      snapshot: () => datastore.snapshot,
      now: clock.now,
      staleAfter: options.scheduling.metricsStalenessThreshold,
      objectiveWindow: options.metrics.objectiveWindow,
      prefixIndexes: () => scheduler.prefixIndexes(),
    },
    { commit: process.env.BUILD_COMMIT ?? "", version },
  );
  const { scheduler, scraping } = await parts.configure(options, log, telemetry.scheduling);
  const { source, reviews, election } = await parts.connect(options, log);
  const scraper =
    scraping &&
    new Scraper({
      ...scraping,
      clock,
      intervalMs: options.scheduling.refreshMetricsInterval,
      onReading: (endpoint) => scheduler.settle(endpoint),
      onError: (endpoint, error) => {
        if (error instanceof UnreadablePage) telemetry.extractFailed(dataSource, extractor);
        else telemetry.pollFailed(dataSource);
        log.debug("model server's metrics not read", {
          endpoint: endpoint.address,
          error: error.message,
        });
      },
    });
  datastore.onEndpoints((endpoints) => {
    scheduler.retain(endpoints);
    scraper?.watch(endpoints);
  });

  let draining = false;
  const rules = healthRules(election !== undefined);
  const ready = () =>
    isReady({ synced: source.synced(), leading: election?.isLeader() ?? true, draining });
  const onPort = (asked: string) => statusOf(rules, asked, { alive: true, ready: ready() });
  const picker = {
    datastore,
    scheduler,
    admission: shedSheddable,
    bodies: new BodyRoom({
      maxBody: options.serving.maxBodyBytes,
      maxTotal: options.serving.maxBufferedBytes,
      now: clock.now,
    }),
    observer: telemetry.observer,
    clock,
    options: options.scheduling,
  };
  const { maxReceiveBytes, requestTimeout, maxStreamAge } = options.serving;
  const service = extProcService(picker, (error) => log.error("request failed", error), {
    ...{ maxReceiveBytes, requestTimeout, maxStreamAge },
  });
  const ageing = setInterval(() => scheduler.expire(clock.now() - maxStreamAge), 10_000).unref();
  const extProc = await serveExtProc(service, options, onPort, log);
  const { healthPort } = options.serving;
  const health = await serveHealth({ port: healthPort, rules, isReady: ready, log });
  const operators = await serveOperators(
    {
      families: telemetry.families,
      debug: { "/debug/state": () => debugState(datastore.snapshot, clock.now()) },
    },
    options,
    reviews,
    log,
  );
  source.start((objects) => datastore.update(objects));
  election?.start();
  const ports = { grpc: extProc.port, health: health.port, metrics: operators.port };
  log.info("serving", { version, ...options.pool, ports });

  return {
    ports,
    drain: (signal) =>
      drain(signal, {
        timeout: options.serving.drainTimeout,
        log,
        running: service.openStreams,
        markNotServing: () => {
          draining = true;
          health.update();
        },
        releaseLease: async () => election?.release(),
        stop: async () => {
          await stopServer(extProc.server, options.serving.shutdownTimeout);
          scraper?.stop();
          clearInterval(ageing);
          await source.stop();
          await Promise.all([health.stop(), operators.server.close()]);
        },
      }),
  };
}
