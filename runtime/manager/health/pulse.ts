/** What a program's own thread leaves in shared memory for the thread that answers probes. */
export interface Condition {
  /** The program's event loop has moved lately. */
  readonly alive: boolean;
  /** The program has what it needs to serve. */
  readonly ready: boolean;
}

/**
 * Milliseconds for which an event loop may stand still before its program counts as dead. Generous: a restart breaks
 * off what runs, and a loop that works through something large moves again by itself.
 */
export const longestStallMs = 30_000;

const at = { beat: 0, ready: 1, length: 2 } as const;

/**
 * The time of the loop's last turn and whether the program is ready, in memory that two threads share. The clock is
 * the machine's, which all threads read alike.
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

  /** The loop moved. */
  beat(ready: boolean): void {
    Atomics.store(this.#values, at.ready, ready ? 1n : 0n);
    Atomics.store(this.#values, at.beat, this.#now());
  }

  /** A program that does not move is not ready either. */
  read(): Condition {
    const stall = (this.#now() - Atomics.load(this.#values, at.beat)) / 1_000_000n;
    const alive = stall < longestStallMs;
    return { alive, ready: alive && Atomics.load(this.#values, at.ready) === 1n };
  }
}
