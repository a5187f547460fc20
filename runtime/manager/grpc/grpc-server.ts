import { once } from "node:events";
import {
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../../limits.ts";
import { ShareOfAddress } from "../share-of-address.ts";
import type { ServerTls } from "../tls/server-tls.ts";
import { ConnectionReaders } from "./connection-readers.ts";
import { grpcStatus } from "./grpc-frames.ts";
import { refuse } from "./unary.ts";

/** Serves the streams of one gRPC method. */
export type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** Handlers by path, such as `/grpc.health.v1.Health/Check`. */
export type Methods = Readonly<Record<string, StreamHandler>>;

export interface GrpcServerOptions {
  /** Certificate and TLS settings. Default: plain text. */
  readonly tls?: ServerTls | undefined;
  /** Open streams that a connection may have. Default `limits.streamsOfConnection`. */
  readonly streamsOfConnection?: number;
  /** Connections that one address may have. Default `limits.connectionsOfAddress`. */
  readonly connectionsOfAddress?: number;
  /** Connections of all addresses; beyond it, the oldest is closed. Default: no limit. */
  readonly connections?: number;
  /** Stream resets after which a connection ends. Default: `limits.resets`, and 5,000 more per second. */
  readonly resets?: Resets;
  /** Default: a ping every 30 s, which the peer must answer within 20 s. */
  readonly pings?: Pings;
}

/** Stream resets allowed per connection: an initial number, and the number added every second. */
interface Resets {
  readonly burst: number;
  readonly rate: number;
}

/**
 * Flow control windows of one stream and of one connection, in bytes. HTTP/2's default of 64 KiB would need a round
 * trip per 64 KiB. Bytes in flight delay the bytes of other streams, which are queued behind them.
 */
export const streamWindow = 2 ** 18;
const connectionWindow = 2 ** 24;

/**
 * A client that cancels a request resets a stream, and one connection carries all requests of a proxy. Node.js's guard
 * against rapid resets would end the connection, and every request on it, after about 1,000 of them. A proxy whose
 * clients only cancel does not reach these limits.
 */
const defaultResets: Resets = { burst: limits.resets.value, rate: 5_000 };

/**
 * A proxy that vanishes with its node does not close its connections. TCP keepalive probes its address after 15 s of
 * silence. An HTTP/2 ping probes the proxy itself every 30 s, and also detects a proxy that no longer reads.
 */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelay: 15_000 };

export interface Pings {
  /** Time between two pings, in ms. */
  readonly intervalMs: number;
  /** Time without an answer to a ping after which the connection and all its streams end, in ms. */
  readonly timeoutMs: number;
}

const defaultPings: Pings = { intervalMs: 30_000, timeoutMs: 20_000 };

/**
 * A gRPC server for proxies, on Node.js's HTTP/2 server: it has wide flow control windows, ends connections whose peer is
 * gone, and keeps connections on which clients cancel requests. It serves methods as HTTP/2 streams, because a gRPC
 * library passes each message through several promises and writes it separately, which about doubles the work of a
 * picker.
 */
export class GrpcServer {
  readonly #server: Http2Server | Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #connections: ConnectionReaders;

  constructor(
    methods: Methods,
    {
      tls,
      streamsOfConnection = limits.streamsOfConnection.value,
      connectionsOfAddress = limits.connectionsOfAddress.value,
      connections,
      resets = defaultResets,
      pings = defaultPings,
    }: GrpcServerOptions = {},
  ) {
    const settings = { initialWindowSize: streamWindow, maxConcurrentStreams: streamsOfConnection };
    const options = {
      ...tcpKeepAlive,
      noDelay: true,
      settings,
      // The limits of bodies and streams apply instead: Node.js counts all of a proxy's requests as one session.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      streamResetBurst: resets.burst,
      streamResetRate: resets.rate,
    };
    this.#server = tls === undefined ? createServer(options) : tls.newServer(options);
    // The listener with which Node.js starts a session.
    const event = tls === undefined ? "connection" : "secureConnection";
    const [serve] = this.#server.listeners(event) as [(connection: Duplex) => void];
    this.#server.off(event, serve);
    this.#connections = new ConnectionReaders(
      (connection) => serve.call(this.#server, connection),
      settings,
    );
    this.#server.on(event, (socket: Socket) => this.#connections.take(socket));
    const shares = new ShareOfAddress(connectionsOfAddress, limits.connections.value);
    this.#server.on("connection", shares.admit);
    if (connections !== undefined) this.#server.on("connection", closeOldestBeyond(connections));
    this.#server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      session.setLocalWindowSize(connectionWindow);
      keepAsking(session, pings);
    });
    this.#server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      // The client may have reset the stream with the bytes that opened it. Its error follows.
      if (stream.destroyed) {
        stream.on("error", () => {});
        return;
      }
      const path = headers[":path"] ?? "";
      if (Object.hasOwn(methods, path)) methods[path]?.(stream, headers);
      else refuse(stream, grpcStatus.unimplemented, `there is no method ${path}`);
    });
  }

  /**
   * Listens on an address, or on every address of the machine. Returns the port.
   *
   * @param port 0 for a free one
   * @throws Error if the port is in use
   */
  async listen(port: number, host?: string): Promise<number> {
    this.#server.listen({ port, ...(host !== undefined && { host }) });
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** Serves a connection that the caller accepted. The caller sets `tcpKeepAlive` and `noDelay` on it. */
  take(connection: Socket): void {
    this.#server.emit("connection", connection);
  }

  /**
   * Closes the port and rejects new streams; resolves when open streams have ended or were aborted.
   *
   * @param within time after which open streams are aborted, in ms. Default: never
   */
  async stop(within?: number): Promise<void> {
    this.#connections.stop();
    // Node.js sends every peer a GOAWAY frame, and closes a connection after its last stream.
    const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (within === undefined) return stopped;
    const settled = new AbortController();
    const late = sleep(within, undefined, { ref: false, signal: settled.signal }).then(
      () => this.abort(),
      () => {},
    );
    await Promise.race([stopped, late]);
    settled.abort();
  }

  /** Closes the port, and ends every connection and stream. */
  abort(): void {
    this.#server.close();
    this.#connections.abort();
    for (const session of this.#sessions) session.destroy();
  }
}

/** Returns a listener of new connections that closes the oldest one when there are more than `most`. */
function closeOldestBeyond(most: number): (connection: Socket) => void {
  const open = new Set<Socket>();
  return (connection) => {
    if (connection.destroyed) return;
    open.add(connection);
    connection.once("close", () => open.delete(connection));
    const [oldest] = open;
    if (oldest === undefined || open.size <= most) return;
    // The event `close` follows in a later turn; more connections may come before it.
    open.delete(oldest);
    oldest.destroy();
  };
}

/** Pings the peer of a connection, and ends the connection if it does not answer. */
function keepAsking(session: ServerHttp2Session, { intervalMs, timeoutMs }: Pings): void {
  let deadline: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (deadline !== undefined || session.destroyed) return;
    deadline = setTimeout(() => session.destroy(), timeoutMs).unref();
    session.ping(() => {
      clearTimeout(deadline);
      deadline = undefined;
    });
  }, intervalMs).unref();
  session.once("close", () => {
    clearInterval(timer);
    clearTimeout(deadline);
  });
}
