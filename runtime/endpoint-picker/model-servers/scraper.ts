import http from "node:http";
import https from "node:https";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import type { Endpoint } from "../../../scheduling/endpoint.ts";
import { readingOf, type SentBefore, sentBefore } from "../../../scheduling/metrics-reading.ts";
import { limits } from "../../limits.ts";
import type { Clock } from "../clock.ts";
import { type EngineMetrics, type EngineOptions, engineResolver } from "./engines.ts";
import { MetricsReader } from "./read-metrics.ts";
import { ScrapeBudget } from "./scrape-budget.ts";

/** Parameters of the metrics-data-source, by upstream's names, and of the core-metrics-extractor. */
export interface ScraperOptions extends EngineOptions {
  /** Milliseconds from one scrape of an endpoint to its next, asked before each. Default 50. */
  readonly intervalMs?: number | (() => number);
  /** Milliseconds until a scrape is given up. Default 1000. */
  readonly timeoutMs?: number;
  /** Default http. */
  readonly scheme?: "http" | "https" | undefined;
  /** Default /metrics. */
  readonly path?: string | undefined;
  /** Port of the metrics where it is not the endpoint's own. */
  readonly port?: number | undefined;
  /** TLS of https: certificates are checked only with `insecureSkipVerify: false`. */
  readonly tls?: https.AgentOptions | undefined;
  /** Receives every scrape that gave no reading. */
  readonly onError?: (endpoint: Endpoint, error: Error) => void;
  /** Called after every reading. */
  readonly onReading?: (endpoint: Endpoint) => void;
  readonly clock: Clock;
}

/** A page came, and has nothing that its engine's metrics are read from. */
export class UnreadablePage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreadablePage";
  }
}

/** Share of the event loop's time that the pages of one server may take; a server with costly pages is read less often. */
const shareOfTime = 0.05;

/**
 * Keeps the metrics of endpoints fresh: one scrape of each endpoint at a time, each in its own rhythm, so that one
 * that hangs holds up no other. Readings are written to `endpoint.live.metrics`.
 */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #engineOf: (labels: Readonly<Record<string, string>>) => EngineMetrics | undefined;
  readonly #readers = new Map<EngineMetrics, MetricsReader>();
  readonly #agent: http.Agent;
  readonly #watched = new Map<string, Watch>();
  readonly #budget = new ScrapeBudget();

  constructor(options: ScraperOptions) {
    this.#options = options;
    this.#engineOf = engineResolver(options);
    const keepAlive = { keepAlive: true, maxSockets: 2, scheduling: "lifo" } as const;
    this.#agent =
      options.scheme === "https"
        ? new https.Agent({ ...keepAlive, rejectUnauthorized: false, ...options.tls })
        : new http.Agent(keepAlive);
  }

  /** The endpoints to scrape from now on, in place of those before. */
  watch(endpoints: readonly Endpoint[]): void {
    const wanted = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    for (const [id, watch] of this.#watched) {
      if (wanted.get(id) === watch.endpoint) continue;
      watch.stop();
      this.#watched.delete(id);
    }
    for (const [id, endpoint] of wanted)
      if (!this.#watched.has(id)) this.#watched.set(id, this.#start(endpoint));
  }

  stop(): void {
    this.watch([]);
    this.#agent.destroy();
  }

  #start(endpoint: Endpoint): Watch {
    const { intervalMs: given = 50, clock, onError = () => {} } = this.#options;
    const intervalMs = typeof given === "number" ? () => given : given;
    const engine = this.#engineOf(endpoint.labels);
    let timer: NodeJS.Timeout;
    let stopped = false;
    let request: http.ClientRequest | undefined;
    let busy: 0 | 1 = 0;
    let sent = endpoint.live.sentRequests;
    const budget = this.#budget;
    budget.count(1, busy);
    const scrape = () => {
      const started = clock.now();
      const before = sentBefore(endpoint.live);
      const isBusy = before.runningRequests > 0 || before.sentRequests !== sent;
      if (isBusy !== (busy === 1)) budget.turned(isBusy ? 1 : -1);
      busy = isBusy ? 1 : 0;
      sent = before.sentRequests;
      request = this.#get(endpoint, (outcome) => {
        if (stopped) return;
        const came = performance.now();
        endpoint.live.isDown = this.#options.port === undefined && isRefusal(outcome);
        const failure =
          outcome instanceof Error ? outcome : this.#store(endpoint, engine, outcome, before);
        const pageMs = performance.now() - came;
        budget.read(pageMs);
        if (failure !== undefined) onError(endpoint, failure);
        const interval = budget.intervalMs(intervalMs(), isBusy);
        const pause = interval - (clock.now() - started);
        timer = setTimeout(scrape, Math.max(pageMs / shareOfTime, pause));
      });
    };
    // Endpoints that come at once do not scrape at once.
    timer = setTimeout(scrape, clock.random() * intervalMs());
    return {
      endpoint,
      stop() {
        stopped = true;
        budget.count(-1, busy);
        clearTimeout(timer);
        request?.destroy();
      },
    };
  }

  #get(endpoint: Endpoint, done: (outcome: Buffer | Error) => void): http.ClientRequest {
    const { scheme, path = "/metrics", port = endpoint.port, timeoutMs = 1000 } = this.#options;
    const { request } = scheme === "https" ? https : http;
    let settled = false;
    let answered = false;
    const settle = (outcome: Buffer | Error) => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      done(outcome);
    };
    const sent = request(
      { agent: this.#agent, host: endpoint.ip, port, path, headers: { accept: "text/plain" } },
      (response) => {
        answered = true;
        pageOf(response).then(settle, settle);
      },
    );
    const deadline = setTimeout(() => {
      sent.destroy(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    sent.on("error", settle);
    // A switch of protocols that nobody asked for ends the request without a response and without an error.
    sent.on("close", () => {
      if (!answered) settle(new Error("the request ended without an answer"));
    });
    sent.end();
    return sent;
  }

  /** Keeps what a page says, and returns what is wrong with it. */
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

/** Nobody listens at the address, or the host is gone. */
const isRefusal = (outcome: Buffer | Error): boolean =>
  outcome instanceof Error && refusals.has((outcome as NodeJS.ErrnoException).code ?? "");

const refusals = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]);

interface Watch {
  readonly endpoint: Endpoint;
  stop(): void;
}

async function pageOf(response: http.IncomingMessage): Promise<Buffer> {
  const page = await readBody(response, { what: "the page", maxBytes: limits.metricsPage.value });
  if (response.statusCode !== 200) throw new Error(`HTTP status ${response.statusCode}`);
  return page;
}
