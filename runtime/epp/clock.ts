/** Time and randomness of a process, as values that tests can replace. */
export interface Clock {
  /** Milliseconds since some fixed moment; never decreases. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

export const systemClock: Clock = { now: () => performance.now(), random: Math.random };
