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
  /** Undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly readPage: ReadPage;
  /** Milliseconds between two looks at the pickers' metrics. */
  readonly pickerIntervalMs: number;
  /** Whether pods are deleted of services that allow it. Default: none is. */
  readonly recyclesPods?: boolean;
  readonly log: Log;
  /** Milliseconds since 1970. Default: the clock's. */
  readonly now?: () => number;
  /** A kind that could not be read for so long is stale, in milliseconds. Default 30,000. */
  readonly staleAfterMs?: number;
  readonly timing?: Pick<ReflectorOptions<unknown>, "backOff" | "probeIntervalMs" | "time">;
}

/** How often a controller that starts looks whether everything was read, in milliseconds. */
const settleIntervalMs = 50;
/** When an object is looked at again whose write met another's, in milliseconds: its event comes sooner as a rule. */
const afterConflictMs = 1_000;
/**
 * How many statuses are written at once. A busy API server takes some hundred milliseconds for a write: so many at once
 * keep up with a hundred changes a second all the same.
 */
const concurrency = 32;
/** First wait after a write that failed, in milliseconds, and longest. */
const backOff = { firstMs: 250, longestMs: 60_000 };

/**
 * Writes the status of InferenceServices, LLMServices, LLMServerPools and InferenceModelRewrites as the objects about
 * them change. It writes only while it leads; what changes meanwhile is known when it does.
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

  constructor(options: StatusControllerOptions) {
    const { client, namespaces, log, readPage, staleAfterMs, timing } = options;
    this.#options = options;
    this.#now = options.now ?? Date.now;
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

  /** Begins to read. */
  start(): void {
    this.#cluster.start();
    this.#settling = setInterval(() => {
      if (!this.#cluster.settled) return;
      clearInterval(this.#settling);
      this.#settled = true;
      this.#options.log.info("cluster read");
      this.#run();
    }, settleIntervalMs);
  }

  /** Everything that statuses are about was read once. */
  get settled(): boolean {
    return this.#settled;
  }

  /** How often an object was looked at. */
  get polls(): number {
    return this.metrics.polls;
  }

  /** Writes from now on, or no more. */
  lead(leading: boolean): void {
    this.#leading = leading;
    if (leading) this.#run();
    else void this.#queue.pause();
  }

  async stop(): Promise<void> {
    this.#leading = false;
    clearInterval(this.#settling);
    await Promise.all([this.#queue.stop(), this.#reports.stop(), this.#cluster.stop()]);
  }

  /** Asks the pickers now, in place of at the next interval. */
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
    // The pool's new routing brings the object here again.
    if (this.#cluster.awaitsRouting(work, object)) return;
    const started = performance.now();
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

  /** Works a pool's routing out anew, and looks at every object that it says something else about. */
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
