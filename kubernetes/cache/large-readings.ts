import { systemTime } from "../control/time.ts";

/** An object whose newest version is waiting to be parsed. */
export interface LargeReading {
  readonly bytes: number;
  /** Reads the newest version. Must not throw. */
  read(): void;
}

/** Maximum size of all waiting versions, in bytes. If they exceed it, the oldest is read immediately. */
export const mostWaitingBytes = 32 * 2 ** 20;
/** Longest reading that needs no pause after it, in ms. */
const shortMs = 0.3;
/** The pause after a reading is this factor times the square of its time, in ms: see `LargeReadings`. */
const restFactor = 5;
/** Longest pause, in ms. */
export const longestRestMs = 10_000;

/**
 * Readings of large objects in a process, one after the other, because parsing an object cannot be interrupted. After a
 * reading that took c ms of CPU time, at least 5 c² ms pass before the next one starts. A request that arrives at any
 * time then waits 0.1 ms for readings on average, and fewer than one in 100 requests waits longer than 5 ms.
 */
export class LargeReadings {
  readonly #now: () => number;
  readonly #cpuMs: () => number;
  readonly #mostBytes: number;
  readonly #waiting = new Map<LargeReading, number>();
  #bytes = 0;
  #restUntil = 0;
  #isScheduled = false;

  constructor({ now = systemTime.now, cpuMs = threadCpuMs, mostBytes = mostWaitingBytes } = {}) {
    this.#now = now;
    this.#cpuMs = cpuMs;
    this.#mostBytes = mostBytes;
  }

  /** Adds a reading, or updates the size of a waiting one, which keeps its position. */
  put(reading: LargeReading): void {
    this.#bytes += reading.bytes - (this.#waiting.get(reading) ?? 0);
    this.#waiting.set(reading, reading.bytes);
    while (this.#bytes > this.#mostBytes) this.#readNext();
    this.#schedule();
  }

  delete(reading: LargeReading): void {
    this.#bytes -= this.#waiting.get(reading) ?? 0;
    this.#waiting.delete(reading);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    const wait = this.#restUntil - this.#now();
    if (wait <= 0) setImmediate(this.#run);
    else setTimeout(this.#run, wait).unref();
  }

  readonly #run = (): void => {
    this.#isScheduled = false;
    this.#readNext();
    this.#schedule();
  };

  #readNext(): void {
    const [next] = this.#waiting.keys();
    if (next === undefined) return;
    this.delete(next);
    const before = this.#cpuMs();
    next.read();
    const cost = this.#cpuMs() - before;
    const rest = cost < shortMs ? 0 : Math.min(restFactor * cost ** 2, longestRestMs);
    this.#restUntil = Math.max(this.#restUntil, this.#now() + rest);
  }
}

/** Returns the CPU time of this thread, in ms. On a busy machine, a reading takes longer but has the same CPU time. */
function threadCpuMs(): number {
  // Available since Node.js 23.9.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** The readings of all reflectors of this process. */
export const largeReadings = new LargeReadings();
