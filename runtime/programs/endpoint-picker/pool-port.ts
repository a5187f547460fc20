import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { type ExtProcService, extProcPath } from "../../epp/server/ext-proc-service.ts";
import { newGrpcServer, serveConnections, tcpKeepAlive } from "../../epp/server/grpc-server.ts";

type Serves = Pick<ExtProcService, "serve">;

/**
 * A port for the gateways of one pool. Its service can be replaced; open streams stay with the one that they started
 * with. A port without connections is only a listening socket, because a gRPC server with TLS takes 48 KiB.
 */
export class PoolPort {
  readonly #listener: Server;
  readonly #credentials: ServerCredentials;
  readonly #connections = new Set<Socket>();
  #current: Serves;
  #grpc: { readonly server: GrpcServer; take(connection: Socket): void } | undefined;

  private constructor(service: Serves, credentials: ServerCredentials) {
    this.#current = service;
    this.#credentials = credentials;
    this.#listener = createServer({ ...tcpKeepAlive, noDelay: true }, (connection) =>
      this.#take(connection),
    );
  }

  /** @throws Error if the port is in use */
  static async open(
    port: number,
    service: Serves,
    credentials: ServerCredentials,
  ): Promise<PoolPort> {
    const opened = new PoolPort(service, credentials);
    opened.#listener.listen(port);
    await once(opened.#listener, "listening");
    return opened;
  }

  /** Serves new streams with `service`. */
  use(service: Serves): void {
    this.#current = service;
  }

  /**
   * Rejects new streams; resolves when open ones have ended or were aborted.
   *
   * @param within time after which open streams are aborted, in ms
   */
  async close(within: number): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    const server = this.#grpc?.server;
    // Notifies proxies. The callback is called immediately: the connections belong to the listener, which waits for
    // their end.
    server?.tryShutdown(() => {});
    const settled = new AbortController();
    const late = sleep(within, undefined, { ref: false, signal: settled.signal }).catch(() => {});
    await Promise.race([ended, late]);
    settled.abort();
    server?.forceShutdown();
    for (const connection of this.#connections) connection.destroy();
  }

  #take(connection: Socket): void {
    this.#connections.add(connection);
    connection.once("close", () => this.#connections.delete(connection));
    this.#grpc ??= this.#newServer();
    this.#grpc.take(connection);
  }

  #newServer() {
    const server = newGrpcServer();
    const serve: Serves["serve"] = (stream, headers) => this.#current.serve(stream, headers);
    const handler = { path: extProcPath, serve };
    return { server, take: serveConnections(server, this.#credentials, handler) };
  }
}
