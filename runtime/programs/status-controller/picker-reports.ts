import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../kubernetes/values/records.ts";
import type { PickerReading } from "../../../sdk/status/picker-report.ts";
import type { FailingPods } from "../../../sdk/status/recycling.ts";
import { limits } from "../../limits.ts";
import {
  factsOf,
  linesRead,
  type PoolReading,
  readFailingPods,
  readingOf,
  readPickerPages,
} from "./picker-pages.ts";

/** Reads the metrics page of the picker at an address. */
export type ReadPage = (address: string, signal: AbortSignal) => Promise<Buffer>;

/** A pool whose pickers are polled. */
export interface PolledPool {
  /** `namespace/name` */
  readonly key: string;
  /** IPs of its pickers. */
  readonly pickers: readonly string[];
  /** `namespace/name` of the LLMServices that name it. */
  readonly services: Iterable<string>;
  /** `namespace/name` of the InferenceService whose pods are recycled; undefined if the pool has none. */
  readonly recycles: string | undefined;
}

export interface PickerReportsOptions {
  readonly pools: () => Iterable<PolledPool>;
  readonly readPage: ReadPage;
  /** Interval between two polls, in ms. */
  readonly intervalMs: number;
  /** Receives each service whose report changed. */
  readonly onChange: (service: string) => void;
  /** Receives each InferenceService with failing pods. */
  readonly onFailing: (service: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Shortest time limit of a round, in ms. Pools that a round does not reach wait for the next round. */
const shortestRoundMs = 10_000;

/** Reports of the endpoint pickers about LLMServices, read periodically from their metrics. */
export class PickerReports {
  readonly #options: PickerReportsOptions;
  readonly #readings = new Map<string, PoolReading>();
  /** Number of values in each reading. */
  readonly #facts = new Map<string, number>();
  /** Duration of the last poll of each pool, in tenths of a second. */
  readonly #took = new Map<string, number>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(options: PickerReportsOptions) {
    this.#options = options;
  }

  /** Returns undefined if the pool's pickers have not been polled yet. */
  of(pool: string, service: string): PickerReading | undefined {
    const reading = this.#readings.get(pool);
    return reading && readingOf(reading, service);
  }

  /** Returns the pool's failing pods from the latest poll; undefined if no picker responded. */
  failing(pool: string): FailingPods | undefined {
    return this.#readings.get(pool)?.failing;
  }

  start(): void {
    if (this.#timer !== undefined || this.#stop.signal.aborted) return;
    void this.poll();
    this.#timer = setInterval(() => void this.poll(), this.#options.intervalMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("stopped"));
    await this.#round;
  }

  /** Polls all pickers once, or waits for the poll that is running. */
  poll(): Promise<void> {
    this.#round ??= this.#askAll().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** Reads one page at a time, because a page may have megabytes. Pools with the shortest last poll are first. */
  async #askAll(): Promise<void> {
    const pools = [...this.#options.pools()];
    const known = new Set(pools.map(({ key }) => key));
    for (const map of [this.#readings, this.#facts, this.#took])
      for (const key of map.keys()) if (!known.has(key)) map.delete(key);
    const took = ({ key }: PolledPool) => this.#took.get(key) ?? 0;
    const end = performance.now() + Math.max(this.#options.intervalMs, shortestRoundMs);
    for (const pool of pools.sort((a, b) => took(a) - took(b))) {
      if (this.#stop.signal.aborted || performance.now() > end) return;
      const started = performance.now();
      await this.#ask(pool);
      this.#took.set(pool.key, Math.round((performance.now() - started) / 100));
    }
  }

  async #ask(pool: PolledPool): Promise<void> {
    const { key, recycles } = pool;
    const services = [...pool.services];
    const before = this.#readings.get(key);
    const read = await this.#read(pool, new Set(services));
    if (this.#stop.signal.aborted) return;
    this.#readings.set(key, read);
    this.#facts.set(key, factsOf(read));
    this.#evict();
    const reading = this.#readings.get(key) ?? read;
    const fails = [...(reading.failing?.seconds.values() ?? [])].some((seconds) => seconds > 0);
    if (recycles !== undefined && fails) this.#options.onFailing(recycles);
    for (const service of services) {
      const reported = before && readingOf(before, service);
      if (!isDeepStrictEqual(reported, readingOf(reading, service)))
        this.#options.onChange(service);
    }
  }

  /** Drops the readings of the pools with the most values until the total is within the limit. */
  #evict(): void {
    const all = () => [...this.#facts.values()].reduce((sum, each) => sum + each, 0);
    while (all() > limits.pickerFacts.value) {
      const [[largest]] = [...this.#facts].sort(([, a], [, b]) => b - a) as [[string, number]];
      this.#facts.set(largest, 0);
      this.#readings.set(largest, {
        problem: `all endpoint pickers report more than ${limits.pickerFacts.value} values about services, and the pickers of this pool report the most`,
      });
    }
  }

  async #read(
    { key, pickers, recycles }: PolledPool,
    services: ReadonlySet<string>,
  ): Promise<PoolReading> {
    const readAt = this.#options.now();
    if (pickers.length === 0) return { problem: "no pod of its endpoint picker is ready" };
    const time = AbortSignal.timeout(limits.pickersOfPool.value);
    const signal = AbortSignal.any([this.#stop.signal, time]);
    const read: Buffer[] = [];
    let left = limits.pickerSeries.value;
    let problem: unknown;
    for (const address of pickers) {
      if (signal.aborted) break;
      try {
        const { lines, count } = linesRead(await this.#options.readPage(address, signal), left);
        left -= count;
        read.push(lines);
      } catch (error) {
        problem ??= error;
      }
    }
    if (read.length === 0) return { problem: messageOf(problem) };
    const reports = [...readPickerPages(key, read)].filter(([service]) => services.has(service));
    const seconds = recycles === undefined ? new Map() : readFailingPods(read);
    return { reports: new Map(reports), failing: { seconds, readAt } };
  }
}
