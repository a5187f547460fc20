import type { EventEmitter } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Server } from "@grpc/grpc-js";
import type { Log } from "./log.ts";

export type TerminationSignal = "SIGTERM" | "SIGINT";

/**
 * The first SIGTERM or SIGINT. Whoever sends a second does not want to wait: the process ends at once.
 *
 * @param exit ends the process, with the code that a shell gives for the signal
 */
export function terminationSignal(
  from: EventEmitter,
  exit: (code: number) => void,
): Promise<TerminationSignal> {
  const codes = { SIGTERM: 143, SIGINT: 130 } as const;
  return new Promise((resolve) => {
    let signals = 0;
    const receive = (signal: TerminationSignal) => {
      signals += 1;
      if (signals === 1) resolve(signal);
      else exit(codes[signal]);
    };
    from.on("SIGTERM", () => receive("SIGTERM"));
    from.on("SIGINT", () => receive("SIGINT"));
  });
}

export interface Drain {
  /** Milliseconds in which requests are still taken. */
  readonly timeoutMs: number;
  /** Health turns NOT_SERVING: Kubernetes takes the pod out of the Service. */
  readonly markNotServing: () => void;
  /** Lets another replica lead. */
  readonly releaseLease: () => Promise<void>;
  /** Requests that run. */
  readonly running: () => number;
  /** Takes no more requests; resolves when those that run have ended. */
  readonly stop: () => Promise<void>;
  readonly log: Log;
}

/**
 * Ends a server without failing requests: proxies learn from its health, and from the endpoints of its Service, to go
 * elsewhere, and until they have it serves them. It never stops early, since no traffic at the moment does not mean
 * that a proxy knows. SIGINT comes from a terminal, where nobody waits: requests that run end, and no more are taken.
 */
export async function drain(signal: TerminationSignal, drain: Drain): Promise<void> {
  const window = signal === "SIGINT" ? 0 : drain.timeoutMs;
  drain.log.info("draining", { signal, drainTimeoutSeconds: window / 1000 });
  drain.markNotServing();
  await Promise.all([
    setTimeout(window, undefined, { ref: false }),
    drain.releaseLease().catch((error: unknown) => drain.log.error("lease not released", error)),
  ]);
  drain.log.info("waiting for in-flight requests", { running: drain.running() });
  await drain.stop();
  drain.log.info("stopped");
}

/**
 * Closes a gRPC server's port; resolves when its streams have ended, or have been ended.
 *
 * @param within milliseconds for which streams may go on. Default: as long as they like
 */
export async function stopServer(server: Server, within?: number): Promise<void> {
  const stopped = new Promise<void>((resolve, reject) =>
    server.tryShutdown((error) => (error ? reject(error) : resolve())),
  );
  if (within === undefined) return stopped;
  const late = new AbortController();
  const ended = setTimeout(within, undefined, { ref: false, signal: late.signal }).then(
    () => server.forceShutdown(),
    () => {},
  );
  await Promise.race([stopped, ended]);
  late.abort();
}
