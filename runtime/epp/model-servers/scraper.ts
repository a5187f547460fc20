import type { ConnectionOptions } from "node:tls";
import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import {
  readingOf,
  type SentBefore,
  sentBefore,
} from "../../../scheduling/endpoints/metrics-reading.ts";
import type { Clock } from "../clock.ts";
import { type EngineMetrics, type EngineOptions, engineResolver } from "./engines.ts";
import { PageConnection } from "./page-connection.ts";
import { MetricsReader } from "./read-metrics.ts";
import { ScrapeBudget } from "./scrape-budget.ts";

/** Parameters of the metrics-data-source, under upstream's names, and of the core-metrics-extractor. */
export interface ScraperOptions extends EngineOptions {
  /** Interval between two scrapes of an endpoint, in ms. A function is called before each one. Default 50. */
  readonly intervalMs?: number | (() => number);
  /** Timeout of a scrape, in ms. Default 1000. */
  readonly timeoutMs?: number;
  /** Default http. */
  readonly scheme?: "http" | "https" | undefined;
  /** Default /metrics. */
  readonly path?: string | undefined;
  /** Port of the metrics, if it differs from the endpoint's port. */
  readonly port?: number | undefined;
  /** TLS for https. Certificates are checked only with `insecureSkipVerify: false`. */
  readonly tls?: ConnectionOptions | undefined;
  /** Called after every scrape without a reading. */
  readonly onError?: (endpoint: Endpoint, error: Error) => void;
  /** Called after every reading. */
  readonly onReading?: (endpoint: Endpoint) => void;
  /** Default: a new budget. */
  readonly budget?: ScrapeBudget | undefined;
  readonly clock: Clock;
}

/** A page has none of the metrics of its engine. */
export class UnreadablePage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreadablePage";
  }
}

/** Share of the event loop's time for the pages of one server. A server with costly pages is scraped less often. */
const shareOfTime = 0.05;

/**
 * Keeps the metrics of endpoints fresh, with at most one scrape per endpoint at a time. Each endpoint has its own
 * timer, so that an endpoint that hangs does not delay the others. Readings are written to `endpoint.live.metrics`.
 */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #engineOf: (labels: Readonly<Record<string, string>>) => EngineMetrics | undefined;
  readonly #readers = new Map<EngineMetrics, MetricsReader>();
  readonly #watched = new Map<string, Watch>();
  readonly #budget: ScrapeBudget;

  constructor(options: ScraperOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new ScrapeBudget();
    this.#engineOf = engineResolver(options);
  }

  /** Scrapes these endpoints from now on, instead of the previous ones. */
  watch(endpoints: readonly Endpoint[]): void {
    const wanted = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    for (const [id, watch] of this.#watched) {
      if (wanted.get(id) === watch.endpoint) continue;
      watch.stop();
      this.#watched.delete(id);
    }
    const added = [...wanted].filter(([id]) => !this.#watched.has(id));
    // Counts all endpoints first, because the interval depends on their number.
    for (const _ of added) this.#budget.count(1, 0);
    for (const [id, endpoint] of added) this.#watched.set(id, this.#start(endpoint));
  }

  stop(): void {
    this.watch([]);
  }

  #start(endpoint: Endpoint): Watch {
    const { intervalMs: given = 50, clock, onError = () => {} } = this.#options;
    const intervalMs = typeof given === "number" ? () => given : given;
    const engine = this.#engineOf(endpoint.labels);
    const connection = this.#connectionTo(endpoint);
    let timer: NodeJS.Timeout;
    let stopped = false;
    let busy: 0 | 1 = 0;
    let sent = endpoint.live.sentRequests;
    const budget = this.#budget;
    const scrape = () => {
      if (stopped) return;
      const started = clock.now();
      const before = sentBefore(endpoint.live);
      const isBusy = before.runningRequests > 0 || before.sentRequests !== sent;
      if (isBusy !== (busy === 1)) budget.turned(isBusy ? 1 : -1);
      busy = isBusy ? 1 : 0;
      sent = before.sentRequests;
      const { isOpen } = connection;
      connection.read((outcome, readMs) => {
        const came = performance.now();
        endpoint.live.isDown = this.#options.port === undefined && isRefusal(outcome);
        const failure =
          outcome instanceof Error ? outcome : this.#store(endpoint, engine, outcome, before);
        const pageMs = readMs + performance.now() - came;
        budget.read(pageMs, isOpen);
        if (failure !== undefined) onError(endpoint, failure);
        const interval = budget.intervalMs(intervalMs(), isBusy);
        const pause = interval - (clock.now() - started);
        timer = setTimeout(start, Math.max(pageMs / shareOfTime, pause));
      });
    };
    const start = () => budget.start(scrape);
    // A random delay spreads the scrapes of endpoints that were added together.
    timer = setTimeout(start, clock.random() * budget.intervalMs(intervalMs(), false));
    return {
      endpoint,
      stop() {
        stopped = true;
        budget.count(-1, busy);
        clearTimeout(timer);
        connection.close();
      },
    };
  }

  #connectionTo({ ip, port: own }: Endpoint): PageConnection {
    const { scheme, path = "/metrics", port = own, timeoutMs = 1000 } = this.#options;
    const tls =
      scheme === "https" ? { rejectUnauthorized: false, ...this.#options.tls } : undefined;
    return new PageConnection({ host: ip, port, path, tls }, timeoutMs);
  }

  /** Stores the reading of a page, or returns the reason why there is none. */
  #store(
    endpoint: Endpoint,
    engine: EngineMetrics | undefined,
    page: Buffer,
    before: SentBefore,
  ): Error | undefined {
    if (engine === undefined)
      return new UnreadablePage("its label names an engine that is not configured");
    const { live } = endpoint;
    const reading = this.#reader(engine).read(page, this.#options.clock.now(), live.metrics);
    if (reading === undefined)
      return new UnreadablePage("the page has none of the engine's metrics");
    live.metrics = reading;
    live.reading = readingOf(live, reading, before);
    this.#options.onReading?.(endpoint);
    return undefined;
  }

  #reader(engine: EngineMetrics): MetricsReader {
    const known = this.#readers.get(engine);
    if (known !== undefined) return known;
    const reader = new MetricsReader(engine);
    this.#readers.set(engine, reader);
    return reader;
  }
}

/** Whether the connection was refused or the host is unreachable. */
const isRefusal = (outcome: Buffer | Error): boolean =>
  outcome instanceof Error && refusals.has((outcome as NodeJS.ErrnoException).code ?? "");

const refusals = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]);

interface Watch {
  readonly endpoint: Endpoint;
  stop(): void;
}
