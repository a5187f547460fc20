import type { Replicas } from "../../../scheduling/endpoints/rendezvous.ts";
import type { SchedulingObserver } from "../../../scheduling/scheduling-observer.ts";
import { systemClock } from "../../epp/clock.ts";
import type { PoolSource } from "../../epp/datastore/pool-objects.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { type Listening, serveExtProc } from "../../epp/serve.ts";
import { pickerHealth } from "../../epp/server/picker-health.ts";
import type { PickerReplicas } from "../../epp/sources/picker-replicas.ts";
import type { Log } from "../../manager/log.ts";
import {
  type LeaseOptions,
  Manager,
  type ManagerOptions,
  type Running,
} from "../../manager/manager.ts";
import { openTracing } from "../../manager/tracing/tracing.ts";
import type { EndpointPickerOptions } from "./options.ts";
import { type ConfiguredScheduling, startPoolPicker } from "./pool-picker.ts";

/** Connection of a picker to its pool: the source of the pool's objects, and the API server. */
export interface PoolConnection {
  readonly source: PoolSource;
  /** Undefined without an API server. */
  readonly client: ManagerOptions["client"];
  /** Undefined without leader election. */
  readonly lease: LeaseOptions | undefined;
  /** Counts the replicas of the picker; undefined if it has only one replica. */
  replicas?(onCount: (count: number) => void): PickerReplicas;
}

/** The parts from other folders that a picker needs. */
export interface Parts {
  configure(
    options: EndpointPickerOptions,
    log: Log,
    observer: SchedulingObserver,
    replicas: Replicas,
  ): Promise<ConfiguredScheduling>;
  connect(options: EndpointPickerOptions, log: Log): Promise<PoolConnection>;
}

export type RunningPicker = Running<{ readonly grpc: number }>;

/** Creates and starts the picker of a pool: scheduling, the pool's objects, and servers. */
export async function startEndpointPicker(
  options: EndpointPickerOptions,
  parts: Parts,
  log: Log,
): Promise<RunningPicker> {
  const { serving, pageTls, operations } = options;
  const tracing = await openTracing(options.tracing, log);
  const picker = await startPoolPicker({
    options,
    configure: (observer, replicas) => parts.configure(options, log, observer, replicas),
    bodies: new BodyBudget({
      maxBody: serving.maxBodyBytes,
      maxTotal: serving.maxBufferedBytes,
      now: systemClock.now,
    }),
    ...{ tracing, log },
  });
  const connection = await parts.connect(options, log);
  const { source, client, lease } = connection;
  const replicas = connection.replicas?.(picker.share);
  const healthRules = pickerHealth(lease !== undefined);
  const manager = new Manager({ log, operations, pageTls, client, lease, healthRules });
  let extProc: Listening | undefined;
  return manager.run({
    pages: picker.pages,
    facts: options.pool,
    isReady: () => source.synced() && manager.isLeader(),
    async start() {
      const isReady = () => manager.isReady();
      extProc = await serveExtProc(picker.service, options, healthRules, isReady, log);
      source.start((objects) => picker.datastore.update(objects));
      replicas?.start();
      return { grpc: extProc.port };
    },
    drain: { windowMs: serving.drainTimeoutMs, running: picker.service.openStreams },
    async stop() {
      // Queued requests may wait for half of the time; requests that are then sent to a server have the rest.
      const late = setTimeout(picker.closeQueues, serving.shutdownTimeoutMs / 2);
      await extProc?.server.stop(serving.shutdownTimeoutMs);
      clearTimeout(late);
      picker.stop();
      await Promise.all([source.stop(), replicas?.stop(), tracing?.close()]);
    },
  });
}
