import * as http from "node:http";
import * as https from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import type { Cluster, KubeConfig } from "@kubernetes/client-node";
import { type AnswerLimits, largeEventBytes, ownLimits } from "./answer-limits.ts";
import { ApiError, apiErrorOf, apiErrorOfEvent, NoAnswerError } from "./api-error.ts";
import { eventHeadOf, type ObjectVersion } from "./event-head.ts";
import { EventLines } from "./event-lines.ts";
import { readBody } from "./read-body.ts";
import { TlsAgents } from "./tls-agents.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Query = Readonly<Record<string, string | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  /** Sent as JSON, except for bytes, which are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `application/json`; a PATCH must set the type of its patch. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Whether the response is returned as text instead of parsed JSON, such as a log. Default false. */
  readonly isText?: boolean;
  /** Time limit for each try, in ms. Default: the time limit of the client. */
  readonly timeoutMs?: number;
}

export interface ClientOptions {
  /** Limits on responses. Default: the limits for the cluster in which the program runs. */
  readonly limits?: AnswerLimits;
  /** Time limit for a request, in ms. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * How often a request to a busy server is repeated: after 429, and after 5xx with a Retry-After. It waits for the
   * server's retry time, or one second if there is none. Default 0, for callers with their own back-off.
   */
  readonly retries?: number;
  /** Maximum number of connections. Default: the number of concurrent requests. */
  readonly connections?: number;
  /** Default pulumi-inference. */
  readonly userAgent?: string;
}

export interface WatchOptions {
  readonly query?: Query;
  readonly signal: AbortSignal;
  /** Time limit for the server's response, in ms. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * Called when the server has accepted the watch, which may be long before the first event. `cluster` is an id that
   * differs between clusters; undefined if the server sends none.
   */
  readonly onOpen?: (cluster: string | undefined) => void;
  /** Longest silence of the server after that, in ms; called again after each event. */
  readonly silenceMs: () => number;
}

export interface WatchEvent<T = unknown> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
  /**
   * Set if the object takes long to parse. In this case, `object` parses it and throws Error if the event is not JSON.
   */
  readonly large?: { readonly metadata: ObjectVersion; readonly bytes: number };
}

/** Requests to one API server, with the credentials of a kubeconfig. */
export interface KubernetesClient {
  /**
   * Returns the parsed body. Throws ApiError for a response that is not 2xx, and NoAnswerError if there is no response.
   */
  request<T = unknown>(method: Method, path: string, options?: RequestOptions): Promise<T>;
  /**
   * Returns the events of a watch until the server ends it. Throws ApiError for a refusal and for an event of type
   * ERROR; Error for a lost or silent connection and for a line that is not an event. `path` is the path of the
   * collection.
   */
  watch<T = unknown>(path: string, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void>;
  /** Its limits on responses. */
  readonly limits?: AnswerLimits;
  /** Closes all connections. */
  close(): void;
}

/**
 * Time without data on a connection, in ms, after which the kernel checks whether the peer is still there: ten times,
 * once a second.
 */
const tcpKeepAliveMs = 15_000;
/** Uid of the FlowSchema of a request. Each cluster creates this object at its start. */
const flowSchemaHeader = "x-kubernetes-pf-flowschema-uid";
/** Wait before a request is repeated if the server sets no time, in ms. */
const defaultRetryAfterMs = 1_000;

export function newKubernetesClient(
  config: KubeConfig,
  {
    limits = ownLimits,
    timeoutMs: defaultTimeout = 30_000,
    retries = 0,
    connections = Number.POSITIVE_INFINITY,
    userAgent = "pulumi-inference",
  }: ClientOptions = {},
): KubernetesClient {
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new Error(`kubeconfig: no cluster for context ${JSON.stringify(config.currentContext)}`);
  const server = urlOf(cluster);
  const root = server.pathname.replace(/\/$/, "");
  const agents = new TlsAgents(server.protocol === "https:", connections);
  const transport = server.protocol === "https:" ? https : http;

  /** Credentials are read for each request, because tokens and certificates rotate. */
  async function optionsOf(method: Method, headers: http.OutgoingHttpHeaders) {
    const options: https.RequestOptions = {
      method,
      headers: { accept: "application/json", "user-agent": userAgent, ...headers },
    };
    await config.applyToHTTPSOptions(options);
    if (!cluster?.proxyUrl) options.agent = agents.agentFor(options);
    return options;
  }

  /** Sends a request. The signal aborts it and its response. */
  async function send(
    method: Method,
    path: string,
    { query = {}, body, contentType = "application/json", headers }: RequestOptions,
    deadline: Deadline,
  ): Promise<http.IncomingMessage> {
    const { signal } = deadline;
    const payload =
      body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const url = new URL(root + path, server);
    for (const [key, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(key, value);
    const options = await unlessAborted(
      optionsOf(method, {
        ...(payload && { "content-type": contentType, "content-length": payload.length }),
        ...headers,
      }),
      signal,
    );
    return new Promise((resolve, reject) => {
      const request = transport.request(url, { ...options, signal }, resolve);
      request.on("socket", (socket) => {
        socket.setKeepAlive(true, tcpKeepAliveMs);
        const connected = () => deadline.sending();
        if (!socket.connecting) connected();
        else socket.once(server.protocol === "https:" ? "secureConnect" : "connect", connected);
      });
      request.on("error", reject);
      request.end(payload);
    });
  }

  const textOf = async (response: http.IncomingMessage) =>
    (await readBody(response, { what: "the response", maxBytes: limits.answerBytes })).toString();

  async function request<T>(
    method: Method,
    path: string,
    options: RequestOptions = {},
  ): Promise<T> {
    for (let left = retries; ; left--) {
      try {
        return await tryOnce<T>(method, path, options);
      } catch (error) {
        if (left === 0 || !isTooBusy(error)) throw error;
        await pause(error.retryAfterMs ?? defaultRetryAfterMs, undefined, {
          signal: options.signal,
        });
      }
    }
  }

  async function tryOnce<T>(method: Method, path: string, options: RequestOptions): Promise<T> {
    const what = `${method} ${path}`;
    const { timeoutMs = defaultTimeout } = options;
    const deadline = new Deadline(options.signal);
    deadline.within(timeoutMs, `no response within ${timeoutMs} ms`);
    try {
      const response = await send(method, path, options, deadline);
      const text = await textOf(response);
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299)
        throw apiErrorOf(what, status, text, response.headers["retry-after"]);
      return (options.isText ? text : parse("the response", text)) as T;
    } catch (error) {
      throw deadline.explain(what, error);
    } finally {
      deadline.clear();
    }
  }

  async function* watch<T>(
    path: string,
    { query, signal, timeoutMs = defaultTimeout, onOpen, silenceMs }: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void> {
    const what = `watch ${path}`;
    const deadline = new Deadline(signal);
    deadline.within(timeoutMs, `no response within ${timeoutMs} ms`);
    const listen = () => {
      const ms = silenceMs();
      deadline.within(ms, `the server sent nothing for ${ms} ms`);
    };
    try {
      const options = { query: { ...query, watch: "true" } };
      const response = await send("GET", path, options, deadline);
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        const text = await textOf(response);
        throw apiErrorOf(what, status, text, response.headers["retry-after"]);
      }
      listen();
      // A server that has just started sends an empty header.
      onOpen?.(response.headers[flowSchemaHeader]?.toString() || undefined);
      const lines = new EventLines(limits.eventBytes);
      for await (const chunk of response) {
        for (const line of lines.add(chunk as Buffer))
          yield largeEventOf<T>(what, line) ?? eventOf<T>(what, line);
        listen();
      }
      if (lines.rest.length > 0) throw new Error("the stream ended in the middle of an event");
    } catch (error) {
      throw deadline.explain(what, error);
    } finally {
      deadline.end();
    }
  }

  return { limits, request, watch, close: () => agents.destroy() };
}

function urlOf({ name, server }: Cluster): URL {
  const url = URL.parse(server);
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw new Error(
    `kubeconfig: the server of cluster ${JSON.stringify(name)} is ${JSON.stringify(server)}; allowed: a URL such as https://10.0.0.1:6443`,
  );
}

/** A signal that aborts with the caller's signal, or after a timeout. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sent = false;
  readonly #forward = () => this.#controller.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#forward();
    else outer?.addEventListener("abort", this.#forward);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timeout from now, replacing an earlier one. */
  within(ms: number, reason: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error(reason)), ms);
  }

  /** Records that the request is being sent: from now on it may arrive. */
  sending(): void {
    this.#sent = true;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#forward);
  }

  /** Aborts the signal. */
  end(): void {
    this.clear();
    this.#controller.abort();
  }

  /** Adds the operation and, for an abort, its reason to an error. */
  explain(what: string, error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    const cause = this.signal.aborted ? this.signal.reason : error;
    if (cause instanceof ApiError) return cause;
    return new NoAnswerError(what, messageOf(cause), this.#sent, cause);
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's error for several failed addresses has a code but no message.
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

const isTooBusy = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.status === 429 || (error.status >= 500 && error.retryAfterMs !== undefined));

/** Stops waiting on abort, because an exec plugin may hang and cannot be stopped. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function parse(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause });
  }
}

const eventTypes = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

function largeEventOf<T>(what: string, line: Buffer): WatchEvent<T> | undefined {
  const head = line.length < largeEventBytes ? undefined : eventHeadOf(line);
  if (head === undefined) return undefined;
  return {
    type: head.type,
    get object() {
      return eventOf<T>(what, line).object;
    },
    large: { metadata: head.metadata, bytes: line.length },
  };
}

function eventOf<T>(what: string, line: Buffer): WatchEvent<T> {
  const event = parse("an event", line.toString()) as { type?: string; object?: unknown } | null;
  if (event?.type === "ERROR") throw apiErrorOfEvent(what, event.object);
  if (!eventTypes.has(event?.type ?? "") || typeof event?.object !== "object")
    throw new Error(`event of type ${JSON.stringify(event?.type)}`);
  return event as WatchEvent<T>;
}
