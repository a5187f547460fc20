/** Time and chance of a process, as values: tests bring their own. */
export interface Clock {
  /** Milliseconds since some fixed moment, never going back. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

export const systemClock: Clock = { now: () => performance.now(), random: Math.random };
