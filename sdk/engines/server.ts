import type { CommandLine } from "../command-line/started-programs.ts";
import { notKnown, type Reading, whatIsKnown } from "./arguments.ts";
import { argumentsOf, type EngineName, engineNameOf, engines } from "./index.ts";

/** The address on which an engine's HTTP server listens. */

/** The port that `--port` sets; undefined if it is not written, or not known. */
export const flaggedPort = (engine: CommandLine): number | undefined =>
  portOf(whatIsKnown(argumentsOf(engine).written("--port")));

const portOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

/**
 * The port of the engine's server by its command: `--port`, else the engine's default. `notKnown` if the template does
 * not contain it, undefined for a program without `--port` that is not a known engine.
 */
export function portByCommand(engine: CommandLine): Reading<number> {
  const name = engineNameOf(engine);
  const written = argumentsOf(engine).value("--port");
  if (written === notKnown) return notKnown;
  if (written !== undefined) return portOf(written) ?? notKnown;
  return name === undefined ? undefined : engines[name].port;
}

const loopback = /^(localhost|127\..*|\[?::1\]?)$/;

/** The address that an engine listens on if only its own pod reaches it; undefined if others do, or may. */
export function loopbackHost(engine: CommandLine): string | undefined {
  const name = engineNameOf(engine);
  const written = argumentsOf(engine).value("--host");
  if (name === undefined || written === notKnown) return undefined;
  const host = written ?? engines[name].host;
  return loopback.test(host) ? host : undefined;
}

/** Whether an engine has no HTTP server on the network: a worker of another engine, or one on a socket in a file. */
export const hasNoServer = (engine: CommandLine): boolean =>
  ["--headless", "--uds"].some((option) => argumentsOf(engine).has(option)) ||
  loopbackHost(engine) !== undefined;

/** Whether an engine serves HTTPS, with a certificate of its own. */
export const isTls = (engine: CommandLine): boolean =>
  ["--ssl-keyfile", "--ssl-certfile"].some((option) => argumentsOf(engine).has(option));

/** Whether an engine accepts only clients with a certificate. */
const wantsClientCertificate = (engine: CommandLine): boolean =>
  Number(whatIsKnown(argumentsOf(engine).written("--ssl-cert-reqs")) ?? 0) > 0;

/** How a probe checks whether a server is ready: by a path, or by a connection if no path is known. */
export type HealthCheck =
  | {
      readonly httpGet: { readonly path: string; readonly port: number; readonly scheme?: "HTTPS" };
    }
  | { readonly tcpSocket: { readonly port: number } };

/**
 * The check of an engine's server: its health path, which answers once the model is loaded. A connection for an engine
 * that is not known, for gRPC, and for a server that wants a certificate of its client.
 */
export function healthCheckOf(
  engine: CommandLine,
  port: number,
  name: EngineName | undefined = engineNameOf(engine),
): HealthCheck {
  if (
    name === undefined ||
    wantsClientCertificate(engine) ||
    engines[name].speaksGrpc(argumentsOf(engine))
  )
    return { tcpSocket: { port } };
  return {
    httpGet: {
      path: engines[name].healthPath,
      port,
      ...(isTls(engine) ? { scheme: "HTTPS" as const } : {}),
    },
  };
}
