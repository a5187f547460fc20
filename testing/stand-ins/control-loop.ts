import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../kubernetes/api/api-error.ts";

/** Runs one function again whenever something may have changed, never twice at the same time. */
export interface ControlLoop {
  /** Something may have changed. */
  trigger(): void;
  /** Resolves when no pass is wanted. */
  idle(): Promise<void>;
  /** Ends the loop, after the pass that is running. */
  stop(): Promise<void>;
}

/** Changes that come within this time are looked at in one pass. */
const settleMs = 10;
/** Wait before a failed pass is repeated; it doubles from failure to failure. */
const firstRetryMs = 50;
const lastRetryMs = 2_000;

/**
 * `pass` looks at everything and does what is missing, so that it may be repeated. A conflict, an object that is
 * already there and one that is already gone mean that the pass saw an older state; it is repeated quietly.
 */
export function controlLoop(
  pass: () => Promise<void>,
  onError: (error: unknown) => void,
): ControlLoop {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let retryMs = firstRetryMs;

  const run = async () => {
    while (wanted && !stopped) {
      await sleep(settleMs);
      wanted = false;
      try {
        await pass();
        retryMs = firstRetryMs;
      } catch (error) {
        if (stopped) return;
        if (!isStale(error)) onError(error);
        wanted = true;
        await sleep(retryMs);
        retryMs = Math.min(2 * retryMs, lastRetryMs);
      }
    }
  };

  const trigger = () => {
    wanted = true;
    if (stopped) return;
    running ??= run().finally(() => {
      running = undefined;
      if (wanted) trigger();
    });
  };

  return {
    trigger,
    async idle() {
      while (running !== undefined) await running;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Works on all items, whatever becomes of one, and then fails with the first failure. */
export async function forEach<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const results = await Promise.allSettled(Array.from(items, work));
  const failures = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  const failure = failures.find((reason) => !isStale(reason)) ?? failures[0];
  if (failure !== undefined) throw failure;
}

const isStale = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 409);
