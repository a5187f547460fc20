import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answered, type Asked, events, readAsked, whole } from "./api.ts";
import { metricsPage } from "./metrics-page.ts";
import { type Emission, Simulation, type SimulationOptions } from "./simulation.ts";

export interface ModelServerOptions extends SimulationOptions {
  /** Address of 127.0.0.0/8. Default 127.0.0.1. */
  readonly ip?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /** The value of header `x-inference-pod`. Default: the address. */
  readonly name?: string;
  /** Base model. Default `base`. */
  readonly model?: string;
  /** Adapters that may be asked for; other models are 404. */
  readonly adapters?: readonly string[];
  /** Takes any model for the base model, as an echo server does. Default false. */
  readonly anyModel?: boolean;
  /** A metrics page as long as the page of vLLM. Default false. */
  readonly fullMetrics?: boolean;
}

/** How the metrics page misbehaves. */
export type MetricsFault = "hang" | "garbage" | "error";

/** A simulated model server: real HTTP, a model that is a clock. */
export interface ModelServer {
  readonly ip: string;
  readonly port: number;
  readonly address: string;
  readonly name: string;
  /** Requests by model that were taken, and what they came to. */
  readonly served: Served[];
  metricsFault: MetricsFault | undefined;
  /** The next response breaks off in its middle. */
  breakNext: boolean;
  /** Whether the model computes nothing more: running and new requests get no further token. */
  hangs: boolean;
  /** Addresses of prefillers whose blocks it cannot fetch: requests that name one fail. */
  readonly cutOffFrom: Set<string>;
  /** Adapters that may be asked for; loading and unloading one is adding and deleting it. */
  readonly adapters: Set<string>;
  /** Requests that are being answered. */
  readonly running: number;
  readonly listening: boolean;
  /** Refuses new requests and resolves once the running ones have their answers, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Served {
  readonly model: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Address of the server whose blocks it fetched. */
  readonly prefiller: string | undefined;
  readonly body: string;
}

/**
 * Parameters of a transfer in requests and responses of vLLM's NixlConnector: the location of the blocks of a prompt.
 */
interface Transfer {
  readonly do_remote_decode?: boolean;
  readonly do_remote_prefill?: boolean;
  readonly remote_host?: string | null;
  readonly remote_port?: number | null;
}

/** Path at which decoders fetch blocks; NIXL has a side channel instead. */
const blocksPath = "/blocks";

const words = ["the ", "quick ", "brown ", "fox ", "jumps ", "over ", "a ", "lazy ", "dog ", "\n"];

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = new SimulatedServer(options);
  await server.listen(options.port ?? 0, options.ip ?? "127.0.0.1");
  return server;
}

interface Open {
  readonly asked: Asked;
  readonly response: ServerResponse;
  readonly prefiller: string | undefined;
  /** Whether the answer contains the location of the prompt's blocks. */
  readonly handsOver: boolean;
  readonly body: string;
  readonly tokens: string[];
}

class SimulatedServer implements ModelServer {
  readonly served: Served[] = [];
  metricsFault: MetricsFault | undefined;
  breakNext = false;
  hangs = false;
  readonly cutOffFrom = new Set<string>();
  readonly adapters: Set<string>;
  readonly #options: ModelServerOptions;
  readonly #simulation: Simulation;
  readonly #http: Server;
  readonly #open = new Map<number, Open>();
  readonly #started = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  ip = "";
  port = 0;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.adapters = new Set(options.adapters);
    this.#simulation = new Simulation(options);
    this.#http = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => fail(response, 500, error.message));
    });
    // A proxy that sends a request as an idle connection ends would lose it, and no test could tell why.
    this.#http.keepAliveTimeout = 0;
  }

  get address(): string {
    return `${this.ip}:${this.port}`;
  }

  get name(): string {
    return this.#options.name ?? this.address;
  }

  async listen(port: number, ip: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once("error", reject).listen(port, ip, resolve);
    });
    ({ address: this.ip, port: this.port } = this.#http.address() as AddressInfo);
  }

  async drain(timeoutMs: number): Promise<void> {
    this.#http.close();
    const deadline = Date.now() + timeoutMs;
    while (this.running > 0 && Date.now() < deadline) await sleep(20);
    await this.stop();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#http.closeAllConnections();
    if (this.listening) await new Promise((resolve) => this.#http.close(resolve));
  }

  get running(): number {
    return this.#open.size;
  }

  get listening(): boolean {
    return this.#http.listening;
  }

  get #now(): number {
    return performance.now() - this.#started;
  }

  get #model(): string {
    return this.#options.model ?? "base";
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] as string;
    response.setHeader("x-inference-pod", this.name);
    if (path === "/metrics") return this.#serveMetrics(response);
    if (path === "/health" || path === blocksPath) return void response.end();
    if (path === "/v1/models") return sendJson(response, { object: "list", data: this.#models() });
    const body = await readBody(request);
    const json = JSON.parse(body) as Record<string, unknown>;
    const asked = readAsked(path, json);
    if (asked === undefined) return fail(response, 404, `no API at ${path}`);
    if (!this.#knows(asked.model)) return fail(response, 404, `no model ${asked.model}`);
    const transfer = json.kv_transfer_params as Transfer | undefined;
    const prefiller = transfer?.do_remote_prefill
      ? `${transfer.remote_host}:${transfer.remote_port}`
      : undefined;
    if (prefiller !== undefined) await this.#fetchBlocks(prefiller);
    const handsOver = transfer?.do_remote_decode === true;
    this.#submit({ asked, response, prefiller, handsOver, body, tokens: [] });
  }

  /** Fails as an engine whose `kv_load_failure_policy` is `fail`. */
  async #fetchBlocks(prefiller: string): Promise<void> {
    if (this.cutOffFrom.has(prefiller)) throw new Error(`no blocks from ${prefiller}`);
    await new Promise<void>((resolve, reject) => {
      httpRequest(`http://${prefiller}${blocksPath}`, (response) => {
        response.resume().on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  }

  get #transfer() {
    return {
      ...{ do_remote_prefill: true, do_remote_decode: false, remote_block_ids: [[1]] },
      ...{ remote_engine_id: this.name, remote_host: this.ip, remote_port: this.port },
    };
  }

  #knows(model: string): boolean {
    const { anyModel = false } = this.#options;
    return anyModel || model === this.#model || this.adapters.has(model);
  }

  #models() {
    const names = [this.#model, ...this.adapters];
    return names.map((id) => ({ id, object: "model", created: 0, owned_by: "simulation" }));
  }

  #serveMetrics(response: ServerResponse): void {
    switch (this.metricsFault) {
      case "hang":
        return;
      case "garbage":
        response.end("\u0000\u0001 not metrics {{{");
        return;
      case "error":
        fail(response, 500, "no metrics");
        return;
      default: {
        const { metrics, options } = this.#simulation;
        const full = this.#options.fullMetrics ?? false;
        response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
        response.end(metricsPage(this.#model, metrics, options, { full, at: this.#now }));
      }
    }
  }

  #submit(open: Open): void {
    const id = ++this.#lastId;
    const { asked, response, prefiller } = open;
    this.#open.set(id, open);
    response.on("close", () => {
      if (this.#open.delete(id)) this.#simulation.cancel(id);
    });
    const adapter = this.adapters.has(asked.model) ? asked.model : undefined;
    const { prompt, maxTokens } = asked;
    this.#step();
    this.#simulation.submit(
      { id, prompt, adapter, maxTokens, prefilled: prefiller !== undefined },
      this.#now,
    );
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const { nextAt } = this.#simulation;
    if (nextAt === Number.POSITIVE_INFINITY || this.hangs) return;
    this.#timer = setTimeout(
      () => {
        this.#step();
        this.#schedule();
      },
      Math.max(0, nextAt - this.#now),
    );
  }

  #step(): void {
    if (this.hangs) return;
    for (const emission of this.#simulation.advance(this.#now)) this.#emit(emission);
  }

  #emit(emission: Emission): void {
    const open = this.#open.get(emission.id);
    if (open === undefined) return;
    const { asked, response, tokens, prefiller, handsOver, body } = open;
    const { promptTokens, cachedTokens } = emission;
    if (emission.token === 0)
      this.served.push({ model: asked.model, promptTokens, cachedTokens, prefiller, body });
    tokens.push(words[emission.token % words.length] as string);
    const id = `cmpl-${emission.id}`;
    const answered: Answered = { id, model: asked.model, promptTokens, cachedTokens, tokens };
    if (asked.stream) this.#stream(asked, answered, emission.last, response);
    else if (emission.last)
      sendJson(response, {
        ...whole(asked.api, answered),
        ...(handsOver && { kv_transfer_params: this.#transfer }),
      });
    if (emission.last) this.#open.delete(emission.id);
  }

  #stream(asked: Asked, answered: Answered, last: boolean, response: ServerResponse): void {
    if (!response.headersSent)
      response.setHeader("content-type", "text/event-stream; charset=utf-8");
    response.write(events(asked, answered, last));
    if (this.breakNext && answered.tokens.length === 2) {
      this.breakNext = false;
      response.destroy();
    } else if (last) response.end();
  }
}

function sendJson(response: ServerResponse, value: object): void {
  const text = JSON.stringify(value);
  response.setHeader("content-type", "application/json");
  response.setHeader("content-length", Buffer.byteLength(text));
  response.end(text);
}

function fail(response: ServerResponse, status: number, message: string): void {
  response.statusCode = status;
  sendJson(response, { error: { message, type: "invalid_request_error", code: status } });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
