import type { EventEmitter } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Log } from "./log.ts";

export type TerminationSignal = "SIGTERM" | "SIGINT";

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process immediately.
 *
 * @param exit ends the process, with the code that a shell reports for the signal
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
  /** Time for which requests are still accepted, in ms. */
  readonly timeoutMs: number;
  /** Sets health to NOT_SERVING, so that Kubernetes removes the pod from the Service. */
  readonly markNotServing: () => void;
  /** Lets another replica lead. */
  readonly releaseLease: () => Promise<void>;
  /** Returns the number of in-flight requests. */
  readonly running: () => number;
  /** Stops accepting requests; resolves when in-flight ones have ended. */
  readonly stop: () => Promise<void>;
  readonly log: Log;
}

/**
 * Ends a server without failing requests. Proxies learn of it from its health and from the endpoints of its Service;
 * until then it serves them. It always waits for the whole window, because a proxy without traffic may not have learned
 * of it. SIGINT is sent from a terminal: in-flight requests end, and new ones are rejected immediately.
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
