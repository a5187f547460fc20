import type { Scheduler } from "../../../scheduling/scheduler.ts";
import type { SchedulingObserver } from "../../../scheduling/scheduling-observer.ts";
import { version } from "../../../sdk/version.ts";
import { systemClock } from "../../endpoint-picker/clock.ts";
import { Datastore } from "../../endpoint-picker/datastore/datastore.ts";
import type { PoolSource } from "../../endpoint-picker/datastore/pool-objects.ts";
import { DecisionRing } from "../../endpoint-picker/decisions/decision-ring.ts";
import { explainPage } from "../../endpoint-picker/decisions/explain-page.ts";
import { maxReceiveBytes } from "../../endpoint-picker/flags/serving.ts";
import {
  Scraper,
  type ScraperOptions,
  UnreadablePage,
} from "../../endpoint-picker/model-servers/scraper.ts";
import { shedSheddable } from "../../endpoint-picker/request-path/admit.ts";
import { BodyRoom } from "../../endpoint-picker/request-path/body-room.ts";
import { type Listening, serveExtProc } from "../../endpoint-picker/serve.ts";
import { extProcService } from "../../endpoint-picker/server/ext-proc-stream.ts";
import { pickerHealth } from "../../endpoint-picker/server/picker-health.ts";
import type { PickerReplicas } from "../../endpoint-picker/sources/picker-replicas.ts";
import { debugState } from "../../endpoint-picker/telemetry/debug-state.ts";
import { newTelemetry } from "../../endpoint-picker/telemetry/telemetry.ts";
import type { Log } from "../../manager/log.ts";
import {
  type LeaseOptions,
  Manager,
  type ManagerOptions,
  type Running,
} from "../../manager/manager.ts";
import { stopServer } from "../../manager/termination.ts";
import { openTracing } from "../../manager/tracing/tracing.ts";
import { type FlowControlInputs, startFlowControl } from "./flow-control.ts";
import { type KvEventInputs, startKvEvents } from "./kv-events.ts";
import type { EndpointPickerOptions } from "./options.ts";

/** What a configuration becomes. */
export interface ConfiguredScheduling {
  readonly scheduler: Scheduler;
  /** Undefined where requests do not wait. */
  readonly flowControl: Pick<FlowControlInputs, "settings" | "detectorType"> | undefined;
  /** Undefined where no cache is told by KV events. */
  readonly kvEvents?: KvEventInputs | undefined;
  /** How model servers' metrics are read. */
  /** Undefined where they are not read. */
  readonly scraping: Omit<ScraperOptions, "clock" | "intervalMs" | "onError"> | undefined;
}

/** The source from which a picker learns of its pool, and what else it asks there. */
export interface PoolConnection {
  readonly source: PoolSource;
  /** Undefined where there is no API server. */
  readonly client: ManagerOptions["client"];
  /** Undefined without leader election. */
  readonly lease: LeaseOptions | undefined;
  /** Counts the replicas of the picker; undefined where it is alone. */
  replicas?(onCount: (count: number) => void): PickerReplicas;
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

export type RunningPicker = Running<{ readonly grpc: number }>;

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
      staleAfterMs: options.scheduling.staleAfterMs,
      objectiveWindowMs: options.objectiveWindowMs,
      prefixIndexes: () => scheduler.prefixIndexes(),
      avoidedEdges: () => scheduler.avoidedEdges(clock.now()),
    },
    { commit: process.env.BUILD_COMMIT ?? "", version },
  );
  const { scheduler, flowControl, scraping, kvEvents } = await parts.configure(
    options,
    log,
    telemetry.scheduling,
  );
  const connection = await parts.connect(options, log);
  const { source, client, lease } = connection;
  const scraper =
    scraping &&
    new Scraper({
      ...scraping,
      clock,
      intervalMs: options.scheduling.refreshMetricsIntervalMs,
      onReading: (endpoint) => {
        scheduler.settle(endpoint);
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
    scheduler.retain(endpoints);
    scraper?.watch(endpoints);
    events?.watch(endpoints);
  });
  const { modelLabel } = telemetry;
  const flow =
    flowControl && startFlowControl({ ...flowControl, scheduler, datastore, clock, modelLabel });
  const replicas = flow && connection.replicas?.((count) => flow.admission.share(count));
  const admission = flow?.admission ?? shedSheddable;
  const { serving, pageTls, operations } = options;
  const healthRules = pickerHealth(lease !== undefined);
  const manager = new Manager({ log, operations, pageTls, client, lease, healthRules });
  const decisions = new DecisionRing(options.scheduling.explainedRequests);
  const tracing = await openTracing(options.tracing, log);
  const picker = {
    ...(tracing && { tracing }),
    datastore,
    scheduler,
    admission: events?.admission(admission) ?? admission,
    decisions,
    bodies: new BodyRoom({
      maxBody: serving.maxBodyBytes,
      maxTotal: serving.maxBufferedBytes,
      now: clock.now,
    }),
    observer: telemetry.observer,
    clock,
    options: options.scheduling,
  };
  const service = extProcService(picker, (error) => log.error("request failed", error), {
    maxReceiveBytes: maxReceiveBytes(serving),
    requestTimeoutMs: serving.requestTimeoutMs,
    maxStreamAgeMs: serving.maxStreamAgeMs,
  });
  const expireOld = () => scheduler.expire(clock.now() - serving.maxStreamAgeMs);
  const ageing = setInterval(expireOld, 10_000).unref();
  let extProc: Listening | undefined;
  return manager.run({
    pages: {
      families: [...telemetry.families, ...(flow?.families ?? []), ...(events?.families ?? [])],
      debug: {
        "/debug/state": () => ({
          ...debugState(datastore.snapshot, clock.now()),
          avoidedEdges: scheduler.avoidedEdges(clock.now()),
        }),
        ...(flow && { "/debug/flows": flow.debug }),
        ...(events && { "/debug/kv-events": events.debug }),
        "/debug/explain": (query) => explainPage(decisions, query, clock.now()),
      },
    },
    facts: options.pool,
    isReady: () => source.synced() && manager.isLeader(),
    async start() {
      extProc = await serveExtProc(service, options, healthRules, () => manager.isReady(), log);
      source.start((objects) => datastore.update(objects));
      replicas?.start();
      return { grpc: extProc.port };
    },
    drain: { windowMs: serving.drainTimeoutMs, running: service.openStreams },
    async stop() {
      // What waits has half of the time for it, and what then goes to a server the rest.
      const late = setTimeout(() => flow?.admission.close(), serving.shutdownTimeoutMs / 2);
      if (extProc) await stopServer(extProc.server, serving.shutdownTimeoutMs);
      clearTimeout(late);
      flow?.admission.close();
      scraper?.stop();
      events?.stop();
      clearInterval(ageing);
      await Promise.all([source.stop(), replicas?.stop(), tracing?.close()]);
    },
  });
}
