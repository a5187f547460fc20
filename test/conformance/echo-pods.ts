import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { text } from "node:stream/consumers";

/** A request as the conformance suite's server reports it. */
export interface Echo {
  readonly pod: string;
  /** Port at which the request came. */
  readonly httpPort: string;
  readonly path: string;
  readonly body: string;
}

export interface EchoPod {
  readonly name: string;
  readonly ip: string;
  stop(): Promise<void>;
}

/** Ports of a pod, by the protocol that each speaks in plain text. */
export type EchoPorts = Readonly<Record<number, "http/1.1" | "h2c">>;

/**
 * A stand-in for the server of the conformance suite's pods: responds with the received request, its pod and its port.
 */
export async function startEchoPod(name: string, ip: string, ports: EchoPorts): Promise<EchoPod> {
  const servers = await Promise.all(
    Object.entries(ports).map(async ([port, protocol]) => {
      const server = serverOf(protocol, echoOf(name));
      server.listen(Number(port), ip);
      await once(server, "listening");
      return server;
    }),
  );
  const sockets = new Set<{ destroy(): void }>();
  for (const server of servers)
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
  return {
    name,
    ip,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function serverOf(protocol: EchoPorts[number], listener: RequestListener): Server {
  if (protocol === "h2c") return createHttp2Server(listener as never);
  const server = createServer(listener);
  // A proxy that sends a request as an idle connection ends would lose it, and no test could tell why.
  server.keepAliveTimeout = 0;
  return server;
}

const echoOf =
  (pod: string): RequestListener =>
  async (request, response) => {
    const body = await text(request);
    const { port } = (
      request.socket as { address(): AddressInfo | object }
    ).address() as AddressInfo;
    const echo: Echo = { pod, httpPort: String(port), path: request.url ?? "", body };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(echo));
  };
