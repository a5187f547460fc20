import { type CommandLine, isFullyKnown, wordsOf } from "./command-line.ts";
import { type EngineKind, engineKindOf } from "./engine-kind.ts";
import { flagValue, hasFlag } from "./flags.ts";

/** Where an engine's HTTP server listens, as far as its command says. */

/** Defaults of `vllm serve --port` and `sglang.launch_server --port`. */
const defaultPorts: Readonly<Record<EngineKind, number>> = { vllm: 8000, sglang: 30_000 };

/** Defaults of `--host`: vLLM listens everywhere, SGLang on the loopback address alone. */
const defaultHosts: Readonly<Record<EngineKind, string>> = { vllm: "0.0.0.0", sglang: "127.0.0.1" };

/** The port that `--port` names; undefined where it names none, or one that is known only later. */
export function flaggedPort(engine: CommandLine): number | undefined {
  const text = flagValue(wordsOf(engine), "--port");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The port of an engine whose command names none; undefined where it may, or where the engine is not known. */
export function defaultPortOf(engine: CommandLine): number | undefined {
  const kind = engineKindOf(engine);
  const mayNameOne =
    !isFullyKnown(engine) || ["--port", "--config"].some((flag) => hasFlag(wordsOf(engine), flag));
  return kind === undefined || mayNameOne ? undefined : defaultPorts[kind];
}

const loopback = /^(localhost|127\..*|\[?::1\]?)$/;

/** The address that an engine listens on where only its own pod reaches it; undefined where others do, or may. */
export function loopbackHost(engine: CommandLine): string | undefined {
  const kind = engineKindOf(engine);
  const words = wordsOf(engine);
  const written = flagValue(words, "--host");
  if (kind === undefined || (written === undefined && !isFullyKnown(engine))) return undefined;
  if (written === undefined && hasFlag(words, "--config")) return undefined;
  const host = written ?? defaultHosts[kind];
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
  kind: EngineKind | undefined = engineKindOf(engine),
): HealthCheck {
  const words = wordsOf(engine);
  const wantsCertificate = Number(flagValue(words, "--ssl-cert-reqs") ?? 0) > 0;
  if (kind === undefined || wantsCertificate || words.some((word) => /grpc/.test(word)))
    return { tcpSocket: { port } };
  const isTls = hasFlag(words, "--ssl-keyfile") || hasFlag(words, "--ssl-certfile");
  return { httpGet: { path: "/health", port, ...(isTls ? { scheme: "HTTPS" as const } : {}) } };
}
