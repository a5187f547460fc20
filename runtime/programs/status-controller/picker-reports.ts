import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../kubernetes/values/records.ts";
import type { PickerReading } from "../../../sdk/status/picker-report.ts";
import type { FailingPods } from "../../../sdk/status/recycling.ts";
import { type PoolReading, readFailingPods, readingOf, readPickerPages } from "./picker-pages.ts";

/** Reads the metrics page of the picker at an address. */
export type ReadPage = (address: string, signal: AbortSignal) => Promise<Buffer>;

/** A pool whose services are told about. */
export interface PolledPool {
  /** `namespace/name` */
  readonly key: string;
  /** IPs of its pickers. */
  readonly pickers: readonly string[];
  /** `namespace/name` of the LLMServices that name it. */
  readonly services: Iterable<string>;
  /** `namespace/name` of the InferenceService whose pods are recycled, where it is the pool of one. */
  readonly recycles: string | undefined;
}

export interface PickerReportsOptions {
  readonly pools: () => Iterable<PolledPool>;
  readonly readPage: ReadPage;
  /** Milliseconds between two looks. */
  readonly intervalMs: number;
  /** Receives each service whose report changed. */
  readonly onChange: (service: string) => void;
  /** Receives each InferenceService of whose pods some fail. */
  readonly onFailing: (service: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How many pages are read at once. */
const concurrency = 8;

/** What the endpoint pickers say of LLMServices, read from their metrics now and then. */
export class PickerReports {
  readonly #options: PickerReportsOptions;
  readonly #readings = new Map<string, PoolReading>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(options: PickerReportsOptions) {
    this.#options = options;
  }

  /** Undefined where the pool's pickers have not been asked yet. */
  of(pool: string, service: string): PickerReading | undefined {
    const reading = this.#readings.get(pool);
    return reading && readingOf(reading, service);
  }

  /** What the pool's pickers last said of its pods; undefined where none has answered. */
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

  /** Asks all pickers once; a look that is under way is the one. */
  poll(): Promise<void> {
    this.#round ??= this.#askAll().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #askAll(): Promise<void> {
    const pools = [...this.#options.pools()];
    const known = new Set(pools.map(({ key }) => key));
    for (const key of this.#readings.keys()) if (!known.has(key)) this.#readings.delete(key);
    const queue = pools.values();
    const worker = async () => {
      for (const pool of queue) await this.#ask(pool);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }

  async #ask({ key, pickers, services, recycles }: PolledPool): Promise<void> {
    const reading = await this.#read(key, pickers);
    if (this.#stop.signal.aborted) return;
    const before = this.#readings.get(key);
    this.#readings.set(key, reading);
    const fails = [...(reading.failing?.seconds.values() ?? [])].some((seconds) => seconds > 0);
    if (recycles !== undefined && fails) this.#options.onFailing(recycles);
    for (const service of services) {
      const said = before && readingOf(before, service);
      if (!isDeepStrictEqual(said, readingOf(reading, service))) this.#options.onChange(service);
    }
  }

  async #read(key: string, pickers: readonly string[]): Promise<PoolReading> {
    const readAt = this.#options.now();
    if (pickers.length === 0) return { problem: "no pod of its endpoint picker is ready" };
    const pages = await Promise.allSettled(
      pickers.map((address) => this.#options.readPage(address, this.#stop.signal)),
    );
    const read = pages.flatMap((page) => (page.status === "fulfilled" ? [page.value] : []));
    if (read.length > 0)
      return {
        reports: readPickerPages(key, read),
        failing: { seconds: readFailingPods(read), readAt },
      };
    const [first] = pages.flatMap((page) => (page.status === "rejected" ? [page.reason] : []));
    return { problem: messageOf(first) };
  }
}
