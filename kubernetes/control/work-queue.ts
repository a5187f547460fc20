import { BackOff, type BackOffOptions } from "./back-off.ts";

export interface WorkQueueOptions {
  /** Processes one key. If it throws, it is retried, with increasing waits. */
  readonly work: (key: string) => Promise<void>;
  /** Maximum number of keys that are processed concurrently. Default 8. */
  readonly concurrency?: number;
  readonly onError: (key: string, error: unknown) => void;
  readonly backOff?: BackOffOptions;
  readonly random?: () => number;
}

/**
 * Keys of objects to process. A key that is added several times is processed once, never twice at the same time, and
 * again if it is added while it is processed: no change is lost, and no key is processed more often than needed.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #concurrency: number;
  /** In the order of their addition. */
  readonly #ready = new Set<string>();
  readonly #active = new Set<string>();
  readonly #later = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  readonly #failing = new Map<string, BackOff>();
  #running = false;
  #whenIdle: Array<() => void> = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 8;
  }

  /** Number of keys that are ready. */
  get length(): number {
    return this.#ready.size;
  }

  /** @param delay in ms; if a key has several delays, the earliest one applies */
  add(key: string, delay = 0): void {
    if (delay <= 0) {
      this.#forgetLater(key);
      this.#ready.add(key);
      this.#go();
      return;
    }
    if (this.#ready.has(key)) return;
    const at = performance.now() + delay;
    const before = this.#later.get(key);
    if (before !== undefined && before.at <= at) return;
    this.#forgetLater(key);
    // Node treats a longer time as zero.
    const timer = setTimeout(() => this.add(key), Math.min(delay, 2 ** 31 - 1));
    timer.unref();
    this.#later.set(key, { at, timer });
  }

  start(): void {
    this.#running = true;
    this.#go();
  }

  /** Running work ends; ready keys wait. Resolves when nothing is running. */
  async pause(): Promise<void> {
    this.#running = false;
    if (this.#active.size > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle.push(resolve);
      });
  }

  /** Pauses, and removes all keys. */
  async stop(): Promise<void> {
    await this.pause();
    for (const key of [...this.#later.keys()]) this.#forgetLater(key);
    this.#ready.clear();
  }

  #forgetLater(key: string): void {
    clearTimeout(this.#later.get(key)?.timer);
    this.#later.delete(key);
  }

  #go(): void {
    for (const key of this.#ready) {
      if (!this.#running || this.#active.size >= this.#concurrency) return;
      if (this.#active.has(key)) continue;
      this.#ready.delete(key);
      this.#active.add(key);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    try {
      await this.#options.work(key);
      this.#failing.delete(key);
    } catch (error) {
      this.#options.onError(key, error);
      this.add(key, this.#wait(key));
    }
    this.#active.delete(key);
    if (this.#active.size === 0) for (const notify of this.#whenIdle.splice(0)) notify();
    this.#go();
  }

  #wait(key: string): number {
    const { random = Math.random, backOff } = this.#options;
    let waits = this.#failing.get(key);
    if (waits === undefined) {
      waits = new BackOff(random, backOff);
      this.#failing.set(key, waits);
    }
    return waits.next();
  }
}
