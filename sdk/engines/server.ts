import { type CommandLine, isFullyKnown, wordsOf } from "./command-line.ts";
import { flagValue, hasFlag } from "./flags.ts";
import { type EngineName, engineNameOf, engines } from "./index.ts";

/** The address on which an engine's HTTP server listens, as far as its command says. */

/** The port that `--port` names; undefined where it names none, or one that is known only later. */
export function flaggedPort(engine: CommandLine): number | undefined {
  const text = flagValue(wordsOf(engine), "--port");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The port of an engine whose command names none; undefined where it may, or where the engine is not known. */
export function defaultPortOf(engine: CommandLine): number | undefined {
  const name = engineNameOf(engine);
  const mayNameOne =
    !isFullyKnown(engine) || ["--port", "--config"].some((flag) => hasFlag(wordsOf(engine), flag));
  return name === undefined || mayNameOne ? undefined : engines[name].port;
}

const loopback = /^(localhost|127\..*|\[?::1\]?)$/;

/** The address that an engine listens on where only its own pod reaches it; undefined where others do, or may. */
export function loopbackHost(engine: CommandLine): string | undefined {
  const name = engineNameOf(engine);
  const words = wordsOf(engine);
  const written = flagValue(words, "--host");
  if (name === undefined || (written === undefined && !isFullyKnown(engine))) return undefined;
  if (written === undefined && hasFlag(words, "--config")) return undefined;
  const host = written ?? engines[name].host;
  return loopback.test(host) ? host : undefined;
}

/** Whether an engine has no HTTP server on the network: a worker of another, or one on a socket in a file. */
export const servesNobody = (engine: CommandLine): boolean =>
  ["--headless", "--uds"].some((flag) => hasFlag(wordsOf(engine), flag)) ||
  loopbackHost(engine) !== undefined;

/** How a server is asked whether it is ready: by path, or by a connection alone where no path is known. */
export type HealthCheck =
  | {
      readonly httpGet: { readonly path: string; readonly port: number; readonly scheme?: "HTTPS" };
    }
  | { readonly tcpSocket: { readonly port: number } };

/**
 * vLLM and SGLang answer on /health once the model is loaded; by HTTPS with a certificate of their own. Of another
 * engine, of gRPC, and of a server that wants a certificate of its client only the port is known.
 */
export function healthCheckOf(
  engine: CommandLine,
  port: number,
  name: EngineName | undefined = engineNameOf(engine),
): HealthCheck {
  const words = wordsOf(engine);
  const wantsCertificate = Number(flagValue(words, "--ssl-cert-reqs") ?? 0) > 0;
  if (name === undefined || wantsCertificate || words.some((word) => /grpc/.test(word)))
    return { tcpSocket: { port } };
  const isTls = hasFlag(words, "--ssl-keyfile") || hasFlag(words, "--ssl-certfile");
  return {
    httpGet: {
      path: engines[name].healthPath,
      port,
      ...(isTls ? { scheme: "HTTPS" as const } : {}),
    },
  };
}
