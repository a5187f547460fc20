/** State of a program that its main thread shares with the health thread. */
export interface Condition {
  /** Whether the program's event loop has run recently. */
  readonly alive: boolean;
  /** Whether the program has everything that it needs to serve. */
  readonly ready: boolean;
}

/**
 * Time for which an event loop may be blocked before its program counts as dead, in ms. It is long because a restart
 * ends in-flight requests, and a loop that is busy with a long task recovers.
 */
export const longestStallMs = 30_000;

const at = { beat: 0, ready: 1, length: 2 } as const;

/**
 * Time of the event loop's last turn and whether the program is ready, in memory that two threads share. It uses the
 * machine's monotonic clock, which is the same for all threads.
 */
export class Pulse {
  readonly memory: SharedArrayBuffer;
  readonly #values: BigInt64Array;
  readonly #now: () => bigint;

  constructor(
    memory = new SharedArrayBuffer(at.length * BigInt64Array.BYTES_PER_ELEMENT),
    now: () => bigint = process.hrtime.bigint,
  ) {
    this.memory = memory;
    this.#values = new BigInt64Array(memory);
    this.#now = now;
  }

  /** Records a turn of the event loop. */
  beat(ready: boolean): void {
    Atomics.store(this.#values, at.ready, ready ? 1n : 0n);
    Atomics.store(this.#values, at.beat, this.#now());
  }

  /** Returns the state. A program whose event loop is blocked is not ready either. */
  read(): Condition {
    const stall = (this.#now() - Atomics.load(this.#values, at.beat)) / 1_000_000n;
    const alive = stall < longestStallMs;
    return { alive, ready: alive && Atomics.load(this.#values, at.ready) === 1n };
  }
}
