import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A proxy to a server that a test can cut, to simulate a lost server. */
export interface CuttableProxy {
  readonly port: number;
  /** Breaks every connection, and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections through again, on the same port. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** The address on which a proxy listens. */
export interface ProxyAddress {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
}

/** Passes bytes on to a port of 127.0.0.1. */
export async function startCuttableProxy(
  target: number,
  { host = "127.0.0.1", port: wanted = 0 }: ProxyAddress = {},
): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  const serve = async (port: number): Promise<Server> => {
    const server = createServer((from) => {
      const to = connect(target, "127.0.0.1");
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        sockets.add(one);
        one
          .on("error", () => {})
          .on("close", () => {
            sockets.delete(one);
            other.destroy();
          });
        one.pipe(other);
      }
    });
    server.listen(port, host);
    await once(server, "listening");
    return server;
  };
  let server: Server | undefined = await serve(wanted);
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    const open = server;
    server = undefined;
    if (open === undefined) return;
    const closed = once(open, "close");
    open.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    cut,
    async restore() {
      server ??= await serve(port);
    },
    stop: cut,
  };
}
