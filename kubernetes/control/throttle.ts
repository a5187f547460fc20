/** Duration in ms from which work is throttled. */
const slowMs = 1;
/** Pause after work, as a multiple of its duration. */
const restPerCost = 10;

/**
 * Runs work after changes: once for all changes in one turn of the event loop, or in the collection time. Work that
 * takes long, for example with thousands of objects, runs less often, so that most of the CPU stays free.
 */
export class Throttle {
  readonly #work: () => void;
  readonly #collectMs: number;
  #due: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #costMs = 0;
  #stopped = false;

  /** @param collectMs minimum time in ms for which changes are collected. Default: one turn of the event loop */
  constructor(work: () => void, collectMs = 0) {
    this.#work = work;
    this.#collectMs = collectMs;
  }

  /** Records a change, after which the work must run. */
  readonly changed = (): void => {
    if (this.#due !== undefined || this.#stopped) return;
    const restMs = this.#costMs < slowMs ? 0 : this.#costMs * restPerCost;
    const waitMs = Math.max(this.#collectMs, restMs);
    this.#due = waitMs === 0 ? setImmediate(this.#run) : setTimeout(this.#run, waitMs);
  };

  /** Starts no more work. */
  stop(): void {
    this.#stopped = true;
    this.#due?.[Symbol.dispose]();
  }

  readonly #run = (): void => {
    this.#due = undefined;
    if (this.#stopped) return;
    const start = performance.now();
    this.#work();
    this.#costMs = performance.now() - start;
  };
}
