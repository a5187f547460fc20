import { BackOff, type BackOffOptions } from "./back-off.ts";

export interface WorkQueueOptions {
  /** Brings one object to where it should be. What it throws is tried again, later each time. */
  readonly work: (key: string) => Promise<void>;
  /** How many keys are worked on at once. Default 8. */
  readonly concurrency?: number;
  readonly onError: (key: string, error: unknown) => void;
  readonly backOff?: BackOffOptions;
  readonly random?: () => number;
}

/**
 * Keys of objects that need a look. A key that is added often is looked at once, never twice at a time, and again
 * when it is added while it is looked at: no change is lost, and none is worked on more often than needed.
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

  /** Keys that are due. */
  get length(): number {
    return this.#ready.size;
  }

  /** @param delay in milliseconds; of several delays of a key the one that ends first counts */
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
    // Node counts a longer time as none.
    const timer = setTimeout(() => this.add(key), Math.min(delay, 2 ** 31 - 1));
    timer.unref();
    this.#later.set(key, { at, timer });
  }

  start(): void {
    this.#running = true;
    this.#go();
  }

  /** What is worked on ends; what is due waits. Resolves when nothing is worked on any more. */
  async pause(): Promise<void> {
    this.#running = false;
    if (this.#active.size > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle.push(resolve);
      });
  }

  /** Forgets everything. */
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
