import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import type { ReflectorOptions } from "../../../kubernetes/cache/reflector.ts";
import { WorkQueue } from "../../../kubernetes/control/work-queue.ts";
import { rewriteVersions } from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import type { Log } from "../../manager/log.ts";
import { Cluster } from "./cluster.ts";
import { ControllerMetrics } from "./controller-metrics.ts";
import { keyOf, readKey } from "./object-key.ts";
import { PickerReports, type PolledPool, type ReadPage } from "./picker-reports.ts";
import { PodRecycler } from "./pod-recycler.ts";
import { StatusWriter } from "./status-writer.ts";
import { Statuses } from "./statuses.ts";

export interface StatusControllerOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** Undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly readPage: ReadPage;
  /** Interval for reading the pickers' metrics, in ms. */
  readonly pickerIntervalMs: number;
  /** Whether pods are deleted if their service allows it. Default false. */
  readonly recyclesPods?: boolean;
  readonly log: Log;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Time after which a kind that cannot be read is stale, in ms. Default 30,000. */
  readonly staleAfterMs?: number;
  readonly timing?: Pick<ReflectorOptions<unknown>, "backOff" | "probeIntervalMs" | "time">;
}

/** Interval for checking whether all kinds were read after the start, in ms. */
const settleIntervalMs = 50;
/** Interval for comparing the clock with the time that passed, in ms. */
const clockIntervalMs = 1_000;
/**
 * Difference between them that counts as a jump of the clock, in ms. Slower corrections by time servers add up until
 * they reach this difference.
 */
const clockJumpMs = 2_000;
/** Delay before an object is requeued after a write conflict, in ms. Its watch event usually requeues it sooner. */
const afterConflictMs = 1_000;
/**
 * Concurrent reconciliations. A busy API server takes a few hundred milliseconds per write; 32 concurrent writes still
 * keep up with 100 changes per second.
 */
const concurrency = 32;
/** First and longest delay after a failed write, in ms. */
const backOff = { firstMs: 250, longestMs: 60_000 };

/**
 * Writes the status of InferenceServices, LLMServices, LLMServerPools and InferenceModelRewrites when objects that
 * affect them change. It always watches the cluster, but writes only while it leads.
 */
export class StatusController {
  readonly #options: StatusControllerOptions;
  readonly metrics: ControllerMetrics;
  readonly #cluster: Cluster;
  readonly #queue: WorkQueue;
  readonly #writer: StatusWriter;
  readonly #statuses: Statuses;
  readonly #reports: PickerReports;
  readonly #recycler: PodRecycler | undefined;
  readonly #now: () => number;
  #leading = false;
  #settled = false;
  #settling: NodeJS.Timeout | undefined;
  #comparing: NodeJS.Timeout | undefined;
  /** Difference between the clock and the time since the start of the process, in ms. */
  #clockOffset: number;

  constructor(options: StatusControllerOptions) {
    const { client, namespaces, log, readPage, staleAfterMs, timing } = options;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#clockOffset = this.#now() - performance.now();
    this.#queue = new WorkQueue({
      work: (key) => this.#reconcile(key),
      onError: (key, error) => {
        this.metrics.failed(readKey(key).work);
        log.error("status not written", error, { object: key });
      },
      ...{ concurrency, backOff },
    });
    this.metrics = new ControllerMetrics({
      queued: () => this.#queue.length,
      leading: () => this.#leading,
    });
    this.#cluster = new Cluster({
      ...{ client, namespaces },
      ...(timing && { timing }),
      ...(staleAfterMs !== undefined && { staleAfterMs }),
      onKey: (key, delay) => this.#queue.add(key, delay),
      onStale: () => this.#addAll(),
      onProblem: (kind, message) => log.warn("kind not read", { kind, error: message }),
    });
    this.#writer = new StatusWriter(client);
    this.#reports = new PickerReports({
      pools: () => this.#polledPools(),
      readPage,
      intervalMs: options.pickerIntervalMs,
      onChange: (service) => this.#queue.add(keyOf("LLMService", service)),
      onFailing: (service) => this.#queue.add(keyOf("InferenceService", service)),
      now: this.#now,
    });
    this.#recycler = options.recyclesPods
      ? new PodRecycler({ client, log, now: this.#now, onEnd: this.metrics.recycled })
      : undefined;
    this.#statuses = new Statuses({
      cluster: this.#cluster,
      readingOf: (pool, service) => this.#reports.of(pool, service),
      failingOf: this.#recycler && ((pool) => this.#reports.failing(pool)),
      current: (key, object) => this.#writer.current(key, object),
      now: this.#now,
    });
  }

  /** Starts to read the cluster. */
  start(): void {
    this.#cluster.start();
    this.#settling = setInterval(() => {
      if (!this.#cluster.settled) return;
      clearInterval(this.#settling);
      this.#settled = true;
      this.#options.log.info("cluster read");
      this.#run();
    }, settleIntervalMs);
    this.#comparing = setInterval(() => this.#compareClock(), clockIntervalMs);
    this.#comparing.unref();
  }

  /** Enqueues every object after the clock jumped: statuses and their next times were computed with a wrong time. */
  #compareClock(): void {
    const offset = this.#now() - performance.now();
    const jump = offset - this.#clockOffset;
    if (Math.abs(jump) < clockJumpMs) return;
    this.#clockOffset = offset;
    this.#options.log.warn("clock jumped", { ms: Math.round(jump) });
    this.#addAll();
  }

  /** Whether all kinds that statuses depend on were read once. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Number of reconciliations. */
  get polls(): number {
    return this.metrics.polls;
  }

  /** Starts or stops writing. */
  lead(leading: boolean): void {
    this.#leading = leading;
    if (leading) this.#run();
    else void this.#queue.pause();
  }

  async stop(): Promise<void> {
    this.#leading = false;
    clearInterval(this.#settling);
    clearInterval(this.#comparing);
    await Promise.all([this.#queue.stop(), this.#reports.stop(), this.#cluster.stop()]);
  }

  /** Polls the pickers now instead of at the next interval. */
  pollPickers(): Promise<void> {
    return this.#reports.poll();
  }

  #run(): void {
    if (!this.#leading || !this.#settled) return;
    for (const pool of this.#cluster.routings.keys()) this.#updateRouting(pool);
    this.#addAll();
    this.#queue.start();
    this.#reports.start();
  }

  #addAll(): void {
    if (!this.#settled) return;
    for (const key of this.#cluster.keys()) this.#queue.add(key);
  }

  async #reconcile(key: string): Promise<void> {
    const { work, object } = readKey(key);
    if (work === "pool") return this.#updateRouting(object);
    // The pool's new routing requeues the object.
    if (this.#cluster.awaitsRouting(work, object)) return;
    const started = performance.now();
    // A short jump between two comparisons must not remain in a status.
    this.#compareClock();
    const wanted = this.#statuses.of(work, object);
    if (wanted === undefined) {
      this.#writer.forget(key);
      return;
    }
    if (wanted.requeueAt !== undefined)
      this.#queue.add(key, Math.max(Date.parse(wanted.requeueAt) - this.#now(), 1));
    const result = await this.#writer.write(key, wanted);
    if (result === "conflict") this.#queue.add(key, afterConflictMs);
    else if (result !== "gone" && wanted.recycle !== undefined)
      await this.#recycler?.recycle(wanted.object, wanted.recycle);
    this.metrics.done(work, result, performance.now() - started);
  }

  /** Recomputes the routing of a pool and enqueues every object whose status it may change. */
  #updateRouting(pool: string): void {
    const { routings, pools, rewrites } = this.#cluster;
    const affected = routings.update(pool, pools.get(pool));
    for (const service of affected.services) this.#queue.add(keyOf("LLMService", service));
    for (const rewrite of affected.rewrites)
      for (const version of rewriteVersions)
        if (rewrites.get(version)?.get(rewrite) !== undefined)
          this.#queue.add(keyOf(version, rewrite));
  }

  *#polledPools(): Iterable<PolledPool> {
    const { routings, pools, recyclingServices } = this.#cluster;
    const recycling = this.#recycler === undefined ? [] : recyclingServices.keys();
    for (const key of new Set([...routings.withServices(), ...recycling])) {
      const pool = pools.get(key);
      if (pool === undefined) continue;
      const pickers = this.#cluster
        .pickerPods(pool.namespace, pool.picker)
        .flatMap(({ address }) => (address === undefined ? [] : [address]));
      yield {
        ...{ key, pickers: pickers.sort(), services: routings.servicesOf(key) },
        recycles: recyclingServices.get(key),
      };
    }
  }
}
