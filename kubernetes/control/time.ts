import { setTimeout as timer } from "node:timers/promises";

/** Time and chance, as values: tests bring their own. */
export interface Time {
  /** Milliseconds since some fixed moment, never going back. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A timer of more milliseconds ends at once. */
const longestTimer = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    timer(Math.min(ms, longestTimer), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
};
