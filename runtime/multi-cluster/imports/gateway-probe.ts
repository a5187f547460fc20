import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { hostPort } from "../../../scheduling/endpoints/endpoint.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { explainTls } from "./remote-tls.ts";

/** How to probe gateways of other clusters. */
export interface GatewayProbe {
  /** TLS options for a host, called for each connection; undefined for plain HTTP. */
  readonly tls: ((host: string) => ConnectionOptions) | undefined;
  /** Undefined if a connection is enough. */
  readonly request: GatewayRequest | undefined;
}

/** A request that a gateway forwards to the pool behind it. */
export interface GatewayRequest {
  readonly path: string;
  /** Host name of the route in the other cluster; undefined for the gateway's address. */
  readonly host: string | undefined;
  /** Hop count at which the other cluster does not forward the request. */
  readonly hops: number;
}

export interface GatewayLocation {
  readonly ip: string;
  readonly port: number;
  /** IP address or name, as in the import. */
  readonly host: string;
}

/**
 * Timeout of a probe request, in ms. The gateway, its picker and a model server all take part in the response. Two
 * timeouts in a row stop the cluster's requests within two seconds.
 */
const requestTimeoutMs = 500;

/** A gateway that accepts connections. */
export interface FoundGateway {
  /** `ip:port`. */
  readonly where: string;
  readonly socket: Socket;
  /** Reason why the probe request failed; undefined if it succeeded or no probe request is configured. */
  readonly problem: Error | undefined;
}

/**
 * Connects to a gateway and sends it the probe request, if one is configured.
 *
 * @param timeoutMs timeout of the connection, in ms
 * @throws Error with the reason why there is no connection
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
    // A gateway returns 404 without a route, and 5xx without a picker or endpoints behind it.
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
      // The socket stays open to detect when the gateway closes it; an unread response would hide that.
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
