/** Time that one stream may work in a turn of the event loop before other streams run, in ms. */
const shareMs = 4;

/**
 * Work after which the turns of a stream are distinguished, in ms. Until then, work in several turns counts as one
 * turn.
 */
const noticedMs = 1;

/**
 * Turns of the event loop, which all streams share. A stream that has used its share continues in a later turn, with
 * one such stream per turn, so that no other stream waits longer than one share.
 */
export class Turns {
  #current = 0;
  #isArmed = false;
  readonly #waiting: Array<() => void> = [];

  get current(): number {
    this.#arm();
    return this.#current;
  }

  /** Calls `goOn` in a turn of its own, after all earlier callers. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isArmed = false;
    this.#current += 1;
    const goOn = this.#waiting.shift();
    if (this.#waiting.length > 0) this.#arm();
    goOn?.();
  }
}

/**
 * Time that is counted for a short message, in ms. It is more than the real time, but reading the clock would cost a
 * large part of it.
 */
const shortWorkMs = 0.005;

/** Size up to which a message or a read counts as short, in bytes. */
export const shortBytes = 4 * 1024;

/** The part of a turn that one stream has used. */
export class TurnShare {
  readonly #turns: Turns;
  #turn = -1;
  #used = 0;
  /** Time at which measuring began; infinite while nothing is measured. */
  #began = Number.POSITIVE_INFINITY;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  begin(): void {
    if (this.#used >= noticedMs) this.#startTurn();
  }

  #startTurn(): void {
    const { current } = this.#turns;
    if (current !== this.#turn) this.#used = 0;
    this.#turn = current;
  }

  /** Counts a short message or read. */
  count(): void {
    this.#used += shortWorkMs;
  }

  /** Starts to measure work that may take longer, until `end`. */
  measure(): void {
    if (this.#began === Number.POSITIVE_INFINITY) this.#began = performance.now();
  }

  end(): void {
    if (this.#began === Number.POSITIVE_INFINITY) return;
    this.#used += performance.now() - this.#began;
    this.#began = Number.POSITIVE_INFINITY;
  }

  get isUsed(): boolean {
    if (this.#began === Number.POSITIVE_INFINITY) return this.#used >= shareMs;
    return this.#used + performance.now() - this.#began >= shareMs;
  }

  /** Calls `goOn` in a turn of its own. */
  wait(goOn: () => void): void {
    this.#turns.wait(goOn);
  }
}
