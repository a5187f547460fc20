import type {
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { Server, type ServerCredentials } from "@grpc/grpc-js";
import { limits } from "../../limits.ts";
import { ShareOfAddress } from "../../manager/share-of-address.ts";

export interface GrpcServerOptions {
  /**
   * Size of the largest received message, in bytes; -1 for no limit. Default -1: some proxies send a body in one
   * message.
   */
  readonly maxReceiveBytes?: number;
  /** Size of the largest sent message, in bytes; -1 for no limit. Default -1. */
  readonly maxSendBytes?: number;
  /** Stream resets after which a connection ends. Default: `limits.resets`, and 5,000 more per second. */
  readonly resets?: Resets;
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

/** Fields of grpc-js for settings that it has no option for. */
interface Internals {
  readonly commonServerOptions: { settings?: Record<string, number>; [option: string]: unknown };
  readonly http2Servers: ReadonlyMap<Http2Server, unknown>;
}

/**
 * Returns a gRPC server for proxies: it has wide flow control windows, ends connections whose peer is gone, and keeps
 * connections on which clients cancel requests.
 */
export function newGrpcServer({
  maxReceiveBytes = -1,
  maxSendBytes = -1,
  resets = defaultResets,
}: GrpcServerOptions = {}): Server {
  const server = new Server({
    "grpc.max_receive_message_length": maxReceiveBytes,
    "grpc.max_send_message_length": maxSendBytes,
    "grpc.max_concurrent_streams": limits.streamsOfConnection.value,
    "grpc.enable_channelz": 0,
  });
  const { commonServerOptions } = internals(server);
  const { burst, rate } = resets;
  Object.assign(
    commonServerOptions,
    { streamResetBurst: burst, streamResetRate: rate },
    tcpKeepAlive,
  );
  commonServerOptions.settings = {
    ...commonServerOptions.settings,
    initialWindowSize: streamWindow,
  };
  return server;
}

/** Serves the streams of one method instead of grpc-js. */
export interface StreamHandler {
  readonly path: string;
  serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
}

/**
 * Binds the server and widens the window of every later connection. Returns the port.
 *
 * `handler` gets the streams of its path as HTTP/2 streams: grpc-js passes each message through several promises and
 * writes it separately, which about doubles the work of a picker. grpc-js still handles other methods, connections, TLS
 * and shutdown.
 */
export async function bind(
  server: Server,
  address: string,
  credentials: ServerCredentials,
  handler?: StreamHandler,
  pings: Pings = defaultPings,
): Promise<number> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  prepare(server, handler, pings);
  return port;
}

/**
 * Serves connections that the caller accepts, as `bind` does. The caller sets `tcpKeepAlive` and `noDelay` on them.
 *
 * @returns a function that takes a connection
 */
export function serveConnections(
  server: Server,
  credentials: ServerCredentials,
  handler: StreamHandler,
): (connection: Socket) => void {
  const { injectConnection } = server.createConnectionInjector(credentials);
  prepare(server, handler, defaultPings);
  return injectConnection;
}

function prepare(server: Server, handler: StreamHandler | undefined, pings: Pings): void {
  const connections = new ShareOfAddress(limits.connectionsOfAddress.value);
  for (const http2Server of internals(server).http2Servers.keys()) {
    http2Server.on("connection", connections.admit);
    http2Server.on("session", (session) => {
      session.setLocalWindowSize(connectionWindow);
      keepAsking(session, pings);
    });
    if (handler !== undefined) takeStreams(http2Server, handler);
  }
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

function takeStreams(http2Server: Http2Server, { path, serve }: StreamHandler): void {
  const others = http2Server.listeners("stream");
  http2Server.removeAllListeners("stream");
  http2Server.on("stream", (stream, headers, ...rest) => {
    if (headers[":path"] === path) serve(stream, headers);
    else for (const other of others) other.call(http2Server, stream, headers, ...rest);
  });
}

function internals(server: Server): Internals {
  const { commonServerOptions, http2Servers } = server as unknown as Partial<Internals>;
  if (commonServerOptions === undefined || http2Servers === undefined)
    throw new Error("this release of @grpc/grpc-js keeps its HTTP/2 options elsewhere");
  return { commonServerOptions, http2Servers };
}
