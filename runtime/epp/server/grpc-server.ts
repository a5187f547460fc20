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
  /** Bytes of the largest message that is taken; -1 for any. Default -1: some proxies send a body in one message. */
  readonly maxReceiveBytes?: number;
  /** Bytes of the largest message that is sent; -1 for any. Default -1. */
  readonly maxSendBytes?: number;
  /** Resets of streams after which a connection ends. Default: as the limits say. */
  readonly resets?: Resets;
}

/** Streams that one connection may reset at once, and so many more every second. */
interface Resets {
  readonly burst: number;
  readonly rate: number;
}

/**
 * Bytes in flight of one stream and of one connection: 64 KiB, the default, needs a round trip for each 64 KiB. What is in
 * flight stands before what other streams send.
 */
export const streamWindow = 2 ** 18;
const connectionWindow = 2 ** 24;

/**
 * A client that cancels requests resets streams, and one connection carries all requests of a proxy: Node's guard
 * against resets in rapid succession would end the connection after about 1,000 of them, and every request on it. So many
 * as these no proxy has whose clients only cancel.
 */
const defaultResets: Resets = { burst: limits.resets.value, rate: 5_000 };

/**
 * A proxy that vanished with its node ends nothing: by TCP its address is asked after 15 s of silence, and by HTTP/2 the
 * proxy itself every 30 s, which also notices one whose answers are not read any more.
 */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelay: 15_000 };

export interface Pings {
  /** Milliseconds from one ping to the next. */
  readonly intervalMs: number;
  /** Milliseconds after which a connection without an answer is ended, and every stream on it. */
  readonly timeoutMs: number;
}

const defaultPings: Pings = { intervalMs: 30_000, timeoutMs: 20_000 };

/** What grpc-js gives no option for, by the names of its fields. */
interface Internals {
  readonly commonServerOptions: { settings?: Record<string, number>; [option: string]: unknown };
  readonly http2Servers: ReadonlyMap<Http2Server, unknown>;
}

/**
 * A gRPC server for proxies: wide flow control windows, connections that end with who opened them, and none that ends
 * because clients cancel requests.
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

/** Takes the streams of a method in place of grpc-js. */
export interface StreamHandler {
  readonly path: string;
  serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
}

/**
 * Binds, and widens the window of every connection to come. Answers the port.
 *
 * Streams of `handler.path` go to it as HTTP/2 streams: grpc-js passes each message through several promises and
 * writes it on its own, which costs as much as everything else that a picker does. Other methods, connections, TLS
 * and shutdown stay with grpc-js.
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
 * Serves, as `bind` does, connections that something else accepts: with `tcpKeepAlive`, and without delay.
 *
 * @returns takes a connection
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

/** Ends a connection whose other side does not answer. */
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
