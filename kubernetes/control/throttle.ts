/** Milliseconds of work from which it is throttled. */
const slowMs = 1;
/** The pause before the next work, as a multiple of the time of the last. */
const restPerCost = 10;

/**
 * Does work after changes: once for those of one turn of the event loop, or of the time in which they are collected. Work
 * that takes long, as with thousands of objects, is done less often, so that most of the processor is left.
 */
export class Throttle {
  readonly #work: () => void;
  readonly #collectMs: number;
  #due: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #costMs = 0;
  #stopped = false;

  /** @param collectMs milliseconds in which changes are collected at least. Default: the turn of the event loop */
  constructor(work: () => void, collectMs = 0) {
    this.#work = work;
    this.#collectMs = collectMs;
  }

  /** Something changed: the work is due. */
  readonly changed = (): void => {
    if (this.#due !== undefined || this.#stopped) return;
    const restMs = this.#costMs < slowMs ? 0 : this.#costMs * restPerCost;
    const waitMs = Math.max(this.#collectMs, restMs);
    this.#due = waitMs === 0 ? setImmediate(this.#run) : setTimeout(this.#run, waitMs);
  };

  /** No work begins from now on. */
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
