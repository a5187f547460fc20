import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ExtProcService, extProcPath } from "../../epp/server/ext-proc-service.ts";
import { GrpcServer, tcpKeepAlive } from "../../manager/grpc/grpc-server.ts";
import type { ServerTls } from "../../manager/tls/server-tls.ts";

type Serves = Pick<ExtProcService, "serve">;

/**
 * A port for the gateways of one pool. Its service can be replaced; open streams stay with the service that they
 * started with. A port without connections is only a listening socket, because a gRPC server with TLS takes 48 KiB.
 */
export class PoolPort {
  readonly #listener: Server;
  readonly #tls: ServerTls | undefined;
  readonly #connections = new Set<Socket>();
  #current: Serves;
  #grpc: GrpcServer | undefined;

  private constructor(service: Serves, tls: ServerTls | undefined) {
    this.#current = service;
    this.#tls = tls;
    this.#listener = createServer({ ...tcpKeepAlive, noDelay: true }, (connection) =>
      this.#take(connection),
    );
  }

  /** @throws Error if the port is in use */
  static async open(port: number, service: Serves, tls: ServerTls | undefined): Promise<PoolPort> {
    const opened = new PoolPort(service, tls);
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
    // Notifies proxies. It returns immediately: the connections belong to the listener, which waits for their end.
    void this.#grpc?.stop();
    const settled = new AbortController();
    const late = sleep(within, undefined, { ref: false, signal: settled.signal }).catch(() => {});
    await Promise.race([ended, late]);
    settled.abort();
    this.#grpc?.abort();
    for (const connection of this.#connections) connection.destroy();
  }

  #take(connection: Socket): void {
    this.#connections.add(connection);
    connection.once("close", () => this.#connections.delete(connection));
    const serve: Serves["serve"] = (stream, headers) => this.#current.serve(stream, headers);
    this.#grpc ??= new GrpcServer({ [extProcPath]: serve }, { tls: this.#tls });
    this.#grpc.take(connection);
  }
}
