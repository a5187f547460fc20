import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pageTokenHeader } from "../../../sdk/names.ts";
import { refusedByPage } from "../../../sdk/topology/page-refusals.ts";
import { limits } from "../../limits.ts";
import { expose, expositionType } from "../metrics/exposition.ts";
import type { Family } from "../metrics/family.ts";
import { ShareOfAddress } from "../share-of-address.ts";
import type { Certificate } from "../tls/certificate.ts";
import type { Access, AccessReview } from "./access-review.ts";
import { newAllowance } from "./allowance.ts";
import { PacedConnection } from "./paced-connection.ts";
import { inTurns, jsonParts } from "./page-parts.ts";

/** Pages for operators over HTTP: the metrics, and pages with the state of a process. */
export interface OperatorPages {
  readonly families: readonly Family[];
  /**
   * Debug pages by path. The function returns a value for JSON; it is called per request, with the query of the URL.
   */
  readonly debug: Readonly<Record<string, (query: URLSearchParams) => unknown>>;
  /** Pages that every client may read, by path: values for JSON that reveal only the load. Default: none. */
  readonly open?: Readonly<Record<string, () => unknown>>;
}

export interface OperatorServerOptions {
  readonly pages: OperatorPages;
  /** Undefined if every client may read. */
  readonly access: AccessReview | undefined;
  /** Undefined for plain HTTP. */
  readonly tls: OperatorTls | undefined;
  readonly onError: (error: unknown) => void;
}

export interface OperatorTls {
  readonly certificate: Certificate;
  /** CA of the certificate that readers must have; undefined if none is required. */
  readonly clientCa: Buffer | undefined;
}

export interface OperatorServer {
  /** @returns the port */
  listen(port: number): Promise<number>;
  /** Uses a certificate for new connections. */
  use(certificate: Certificate): void;
  close(): Promise<void>;
}

const refusals: Record<Exclude<Access, "allowed">, readonly [status: number, text: string]> = {
  unauthenticated: [401, refusedByPage.unauthenticated],
  busy: [429, "Too many tokens to check: try again in a second"],
  forbidden: [403, refusedByPage.forbidden],
};

/** Requests that an address may send per second after a burst. A scraper sends one every few seconds. */
const requestsPerSecond = 20;

/** Serves `GET /metrics` and the debug pages. */
export function operatorServer(options: OperatorServerOptions): OperatorServer {
  const { tls, onError } = options;
  const connections = new ShareOfAddress(
    limits.pageConnections.value,
    limits.allPageConnections.value,
  );
  const readings = new ShareOfAddress(limits.pagesAtOnce.value);
  const mayRequest = newAllowance(() => performance.now(), {
    burst: limits.pageRequests.value,
    perSecond: requestsPerSecond,
  });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const connection = request.socket as Duplex as PacedConnection;
    response.once("close", () => connection.answered());
    // The bytes of a body would be read as the next request.
    if (hasBody(request)) response.shouldKeepAlive = false;
    const leave = connection.isRefused ? undefined : readings.enter(connection.remoteAddress);
    if (leave === undefined) return tooMany(response);
    const late = setTimeout(() => response.destroy(), limits.pageTime.value);
    response.once("close", () => {
      clearTimeout(late);
      leave();
    });
    answer(options, request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else plain(response, 500, "Internal error");
    });
  };
  const contextOf = ({ cert, key }: Certificate, { clientCa }: OperatorTls) => ({
    cert,
    key,
    minVersion: "TLSv1.2" as const,
    ...(clientCa && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  });
  const secure = tls && createTlsServer(contextOf(tls.certificate, tls), handle);
  const server: Server = secure ?? createServer(handle);
  const serve = replaceListener(server, secure ? "secureConnection" : "connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    serve(new PacedConnection(socket, limits.pageTime.value, () => mayRequest(address)));
  });
  const accept = replaceListener(server, "connection", (socket) => {
    const leave =
      mayRequest(socket.remoteAddress ?? "") && connections.enter(socket.remoteAddress ?? "");
    if (!leave) return void socket.destroy();
    socket.once("close", leave);
    accept(socket);
  });
  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, () => resolve((server.address() as AddressInfo).port));
      }),
    use: (certificate) => tls && secure?.setSecureContext(contextOf(certificate, tls)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Replaces the only listener of an event, and returns a function that calls the replaced one. */
function replaceListener(
  server: Server,
  event: "connection" | "secureConnection",
  listener: (socket: Socket) => void,
): (socket: Duplex) => void {
  const [own] = server.listeners(event) as [(socket: Duplex) => void];
  server.off(event, own);
  server.on(event, listener);
  return (socket) => own.call(server, socket);
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

function tooMany(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  plain(response, 429, "Too many requests: read one page after another, and again in a second", {
    "retry-after": "1",
  });
}

async function answer(
  { pages, access }: OperatorServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.parse(request.url ?? "/", "http://picker");
  if (url === null) return plain(response, 400, "Not a path");
  const { pathname: path, searchParams } = url;
  const page = pages.debug[path];
  const open = pages.open?.[path];
  if (path !== "/metrics" && page === undefined && open === undefined)
    return plain(
      response,
      404,
      `Not found; available: ${["/metrics", ...Object.keys({ ...pages.open, ...pages.debug })].join(", ")}`,
    );
  if (request.method !== "GET") return plain(response, 405, "Only GET", { allow: "GET" });
  if (open !== undefined) return await json(response, open());
  const granted =
    (await access?.review(bearerToken(request), path, request.socket.remoteAddress ?? "")) ??
    "allowed";
  if (granted !== "allowed") return plain(response, ...refusals[granted]);
  if (page !== undefined) return await json(response, page(searchParams));
  await metrics(pages.families, request, response);
}

/**
 * Returns the token. A second header is accepted because an API server that proxies a request drops `Authorization`.
 */
function bearerToken({ headers }: IncomingMessage): string | undefined {
  const given = headers[pageTokenHeader] ?? headers.authorization ?? "";
  return /^Bearer +(\S+)$/i.exec(String(given))?.[1];
}

function plain(response: ServerResponse, status: number, text: string, headers = {}): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers });
  response.end(`${text}\n`);
}

async function json(response: ServerResponse, value: unknown): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  await pipeline(Readable.from(inTurns(jsonParts(value))), response);
}

async function metrics(
  families: readonly Family[],
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const zipped = /\bgzip\b/.test(headers["accept-encoding"] ?? "");
  response.writeHead(200, {
    "content-type": expositionType,
    ...(zipped && { "content-encoding": "gzip" }),
  });
  const text = Readable.from(inTurns(seriesOf(families)));
  await (zipped ? pipeline(text, createGzip(), response) : pipeline(text, response));
}

function* seriesOf(families: readonly Family[]): Iterable<string> {
  for (const family of families) yield* expose(family);
}
