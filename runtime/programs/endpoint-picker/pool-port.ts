import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { type ExtProcService, extProcPath } from "../../epp/server/ext-proc-service.ts";
import { newGrpcServer, serveConnections, tcpKeepAlive } from "../../epp/server/grpc-server.ts";

type Serves = Pick<ExtProcService, "serve">;

/**
 * A port at which gateways ask for one pool. Who answers may change; streams stay with whom they began. A port that nobody
 * has connected to is a listening socket and nothing else: a gRPC server with its TLS takes 48 KiB.
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

  /** @throws where something else listens */
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

  /** Takes the streams to come. */
  use(service: Serves): void {
    this.#current = service;
  }

  /**
   * Takes no more streams; resolves when those that run have ended, or have been ended.
   *
   * @param within milliseconds for which they may go on
   */
  async close(within: number): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    const server = this.#grpc?.server;
    // Proxies hear of it now. It calls back at once: these connections are the listener's, which waits for their ends.
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
