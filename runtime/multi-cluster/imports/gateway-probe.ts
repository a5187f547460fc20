import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { hostPort } from "../../../scheduling/endpoint.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { explainTls } from "./remote-tls.ts";

/** How gateways of other clusters are looked at. */
export interface GatewayProbe {
  /** Name of their certificates and CA, asked for each connection; undefined for plain HTTP. */
  readonly tls: ((host: string) => ConnectionOptions) | undefined;
  /** Undefined where a connection is enough. */
  readonly request: GatewayRequest | undefined;
}

/** A request that a gateway passes on to the pool behind it. */
export interface GatewayRequest {
  readonly path: string;
  /** A name that the route there is for; undefined for the gateway's address. */
  readonly host: string | undefined;
  /** As a request has that goes to no further cluster. */
  readonly hops: number;
}

export interface GatewayLocation {
  readonly ip: string;
  readonly port: number;
  /** As the import says it. */
  readonly host: string;
}

/**
 * Milliseconds for a request, in which the gateway, its picker and a model server have a part: two in a row that go
 * unanswered end the cluster's requests within two seconds.
 */
const requestTimeoutMs = 500;

/** A gateway that takes connections. */
export interface FoundGateway {
  /** `ip:port`. */
  readonly where: string;
  readonly socket: Socket;
  /** Why it answers no request as it should; undefined where it does, and where none is asked for. */
  readonly problem: Error | undefined;
}

/**
 * Connects to a gateway, and has a request answered where that is asked for.
 *
 * @param timeoutMs milliseconds for the connection
 * @throws Error that says why there is no connection
 */
export async function probeGateway(
  location: GatewayLocation,
  probe: GatewayProbe,
  timeoutMs: number,
): Promise<FoundGateway> {
  const where = hostPort(location.ip, location.port);
  const socket = await connected(location, probe, where, timeoutMs);
  const problem = probe.request && (await problemWith(probe.request, where, socket));
  return { where, socket, problem };
}

async function problemWith(
  request: GatewayRequest,
  where: string,
  socket: Socket,
): Promise<Error | undefined> {
  try {
    const status = await statusOf(request, where, socket);
    // A gateway without a route says 404, one without a picker or endpoints behind it 5xx.
    const isRefused = status === 404 || status >= 500;
    return isRefused
      ? new Error(`${where}: GET ${request.path} returned status ${status}`)
      : undefined;
  } catch (error) {
    return error as Error;
  }
}

function connected(
  { ip, port, host }: GatewayLocation,
  { tls }: GatewayProbe,
  where: string,
  timeout: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const to = { host: ip, port };
    const socket =
      tls === undefined
        ? connect(to)
        : connectTls({ ...to, ...tls(host), ALPNProtocols: ["http/1.1"] });
    const timer = setTimeout(
      () => socket.destroy(new Error(`${where}: no connection within ${timeout} ms`)),
      timeout,
    );
    socket.on("error", (error) => reject(tls === undefined ? error : explainTls(error)));
    socket.on("close", () => {
      clearTimeout(timer);
      reject(new Error(`${where}: the connection was closed`));
    });
    socket.on(tls === undefined ? "connect" : "secureConnect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

const statusOf = (
  { path, host, hops }: GatewayRequest,
  where: string,
  socket: Socket,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { host: host ?? where, connection: "keep-alive", [hopsHeader]: String(hops) };
    const sent = request({ path, headers, createConnection: () => socket }, (response) => {
      clearTimeout(timer);
      // The connection is good for the next look only once the answer is read.
      response.on("error", () => {}).resume();
      resolve(response.statusCode ?? 0);
    });
    const timer = setTimeout(
      () =>
        sent.destroy(
          new Error(`${where}: GET ${path} had no answer within ${requestTimeoutMs} ms`),
        ),
      requestTimeoutMs,
    );
    sent.on("error", reject).end();
  });
