import type { CommandLine } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import { notKnown, type Reading, whatIsKnown } from "../options/arguments.ts";

/** The address on which an engine's HTTP server listens. */

/** The port that `--port` sets; undefined if the option is not written or its value is unknown. */
export const flaggedPort = (engine: CommandLine): number | undefined =>
  portOf(whatIsKnown(argumentsOf(engine).written("--port")));

const portOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

/**
 * Returns the port of the engine's server: `--port`, otherwise the engine's default. `notKnown` if the template does
 * not contain it. Undefined for an unknown program without `--port`.
 */
export function portByCommand(engine: CommandLine): Reading<number> {
  const name = engineNameOf(engine);
  const written = argumentsOf(engine).value("--port");
  if (written === notKnown) return notKnown;
  if (written !== undefined) return portOf(written) ?? notKnown;
  return name === undefined ? undefined : engines[name].port;
}

const loopback = /^(localhost|127\..*|\[?::1\]?)$/;

/** Returns the address of an engine that listens for its own pod only; undefined if other pods can or may reach it. */
export function loopbackHost(engine: CommandLine): string | undefined {
  const name = engineNameOf(engine);
  const written = argumentsOf(engine).value("--host");
  if (name === undefined || written === notKnown) return undefined;
  const host = written ?? engines[name].host;
  return loopback.test(host) ? host : undefined;
}

/**
 * Whether an engine has no HTTP server on the network: it is a worker of another engine, or listens on a Unix socket.
 */
export const hasNoServer = (engine: CommandLine): boolean =>
  ["--headless", "--uds"].some((option) => argumentsOf(engine).has(option)) ||
  loopbackHost(engine) !== undefined;

export const isTls = (engine: CommandLine): boolean =>
  ["--ssl-keyfile", "--ssl-certfile"].some((option) => argumentsOf(engine).has(option));

const wantsClientCertificate = (engine: CommandLine): boolean =>
  Number(whatIsKnown(argumentsOf(engine).written("--ssl-cert-reqs")) ?? 0) > 0;

/** How a probe checks whether a server is ready: by an HTTP path, or by a TCP connection if no path is known. */
export type HealthCheck =
  | {
      readonly httpGet: { readonly path: string; readonly port: number; readonly scheme?: "HTTPS" };
    }
  | { readonly tcpSocket: { readonly port: number } };

/** Whether the server of a known engine speaks gRPC instead of HTTP. */
export function isGrpcServer(
  engine: CommandLine,
  name: EngineName | undefined = engineNameOf(engine),
): boolean {
  return name !== undefined && engines[name].speaksGrpc(argumentsOf(engine));
}

/**
 * Returns the check of an engine's server: its health path, which returns 200 once the model is loaded. A TCP
 * connection for an unknown engine, for gRPC, and for a server that requires client certificates.
 */
export function healthCheckOf(
  engine: CommandLine,
  port: number,
  name: EngineName | undefined = engineNameOf(engine),
): HealthCheck {
  if (name === undefined || wantsClientCertificate(engine) || isGrpcServer(engine, name))
    return { tcpSocket: { port } };
  return {
    httpGet: {
      path: engines[name].healthPath,
      port,
      ...(isTls(engine) ? { scheme: "HTTPS" as const } : {}),
    },
  };
}
