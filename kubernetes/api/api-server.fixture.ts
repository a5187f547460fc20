import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import type { Time } from "../control/time.ts";

/** A fake API server with scripted responses, one request after the other. */
export interface ScriptedServer {
  readonly config: KubeConfig;
  /** Returns the next request that has not been answered. */
  next(): Promise<ScriptedRequest>;
  /** Returns the number of requests up to now. */
  count(): number;
  /** Returns the number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  readonly headers: IncomingMessage["headers"];
  readonly response: ServerResponse;
  /** Responds with a list. */
  list(items: readonly object[], resourceVersion: string, more?: { continue?: string }): void;
  /** Responds with a Status. */
  refuse(code: number, more?: { headers?: Record<string, string>; body?: string }): void;
  /** Opens the watch, no later than its first event. */
  open(): void;
  event(type: string, object: object): void;
  write(bytes: string | Buffer): void;
  /** Ends the response normally. */
  end(): void;
  /** Breaks the connection. */
  break(): void;
  /** Resolves when the client has ended the request. */
  readonly closed: Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const waiting: Array<(request: ScriptedRequest) => void> = [];
  const arrived: ScriptedRequest[] = [];
  let count = 0;
  const server = createServer((message, response) => {
    count += 1;
    const request = scripted(message, response);
    const waiter = waiting.shift();
    if (waiter === undefined) arrived.push(request);
    else waiter(request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    config: kubeConfigOf(`http://127.0.0.1:${port}`),
    next: () => {
      const request = arrived.shift();
      return request === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(request);
    },
    count: () => count,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function kubeConfigOf(server: string, user: object = {}): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "scripted", server, skipTLSVerify: true },
    { name: "tester", ...user },
  );
  return config;
}

function scripted(message: IncomingMessage, response: ServerResponse): ScriptedRequest {
  const url = new URL(message.url ?? "/", "http://server");
  const json = (code: number, body: string, headers: Record<string, string> = {}) =>
    response.writeHead(code, { "content-type": "application/json", ...headers }).end(body);
  const open = () => {
    if (response.headersSent) return;
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
  };
  const write = (bytes: string | Buffer) => {
    open();
    response.write(bytes);
  };
  return {
    method: message.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    isWatch: url.searchParams.get("watch") === "true",
    headers: message.headers,
    response,
    list: (items, resourceVersion, more = {}) =>
      json(200, JSON.stringify({ kind: "List", metadata: { resourceVersion, ...more }, items })),
    refuse: (code, { headers, body } = {}) =>
      json(code, body ?? JSON.stringify({ kind: "Status", code, message: "scripted" }), headers),
    open,
    event: (type, object) => write(`${JSON.stringify({ type, object })}\n`),
    write,
    end: () => {
      open();
      response.end();
    },
    break: () => message.socket.destroy(),
    closed: new Promise((resolve) => response.on("close", resolve)),
  };
}

/** Returns an object with a name, a version and a uid. */
export const object = (name: string, resourceVersion: string, uid = `uid-${name}`) => ({
  metadata: { namespace: "default", name, uid, resourceVersion },
});

/** A clock that only tests advance. Waits are recorded, and end immediately or when the test ends them. */
export class TestTime implements Time {
  readonly waits: number[] = [];
  /** Waits last until they are aborted. */
  held = false;
  #now = 0;

  readonly now = (): number => this.#now;
  readonly random = (): number => 1;

  pass(ms: number): void {
    this.#now += ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.waits.push(ms);
    this.#now += ms;
    if (this.held && !signal.aborted) await once(signal, "abort");
  }
}
