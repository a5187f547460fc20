import { setTimeout as timer } from "node:timers/promises";

/** Time and randomness as values, which tests replace. */
export interface Time {
  /** Returns ms since a fixed time. The value never decreases. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Resolves after `ms` ms, or immediately if the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Longest timer in ms; a longer one fires immediately. */
const longestTimer = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    timer(Math.min(ms, longestTimer), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
};
