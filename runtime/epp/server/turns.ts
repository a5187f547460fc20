/** Milliseconds that one stream works in a turn of the event loop before others have their turn. */
const shareMs = 4;

/** Milliseconds of work after which turns are told apart: until then, a stream that works in many has what is left of one. */
const noticedMs = 1;

/**
 * Turns of the event loop, which all streams share: who has work for longer than its share goes on in a later turn, one
 * stream a turn, so that nobody waits for more than that.
 */
export class Turns {
  #current = 0;
  #isArmed = false;
  readonly #waiting: Array<() => void> = [];

  /** The number of this turn. */
  get current(): number {
    this.#arm();
    return this.#current;
  }

  /** Calls in a turn of its own, behind those that came before. */
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

/** Milliseconds that a short message is counted for, which is more than it takes: a look at the clock would be a part of that. */
const shortWorkMs = 0.005;

/** Bytes of what is short. */
export const shortBytes = 4 * 1024;

/** What one stream has used of a turn. */
export class TurnShare {
  readonly #turns: Turns;
  #turn = -1;
  #used = 0;
  /** Since when work is measured. */
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

  /** A short message or read follows. */
  count(): void {
    this.#used += shortWorkMs;
  }

  /** Work follows that may take longer: until `end`, what is used is counted as it is used. */
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
