import type { Scheduler } from "../../../scheduling/scheduler.ts";
import type { SchedulingObserver } from "../../../scheduling/scheduling-observer.ts";
import { version } from "../../../sdk/version.ts";
import type { ReviewApi } from "../../process/access-review.ts";
import { serveHealth } from "../../process/health-server.ts";
import { statusOf } from "../../process/health-service.ts";
import type { Log } from "../../process/log.ts";
import { drain, stopServer, type TerminationSignal } from "../../process/termination.ts";
import { systemClock } from "../clock.ts";
import { Datastore } from "../datastore/datastore.ts";
import type { PoolSource } from "../datastore/pool-objects.ts";
import type { EndpointPickerOptions } from "../flags/options.ts";
import { Scraper, type ScraperOptions, UnreadablePage } from "../model-servers/scraper.ts";
import { shedSheddable } from "../request-path/admit.ts";
import { BodyRoom } from "../server/body-room.ts";
import { extProcService } from "../server/ext-proc-stream.ts";
import { debugState } from "../telemetry/debug-state.ts";
import { newTelemetry } from "../telemetry/telemetry.ts";
import { healthRules, isReady } from "./readiness.ts";
import { serveExtProc, serveOperators } from "./serve.ts";

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
