/** Turns of a queue. A share of them dispatches the oldest request, whatever its rank. */
export class OldestTurns {
  readonly #share: number;
  #credit = 0;

  constructor(share: number) {
    this.#share = share;
  }

  /** Whether the next turn dispatches the oldest request instead of the request with the lowest rank. */
  get isNext(): boolean {
    return this.#credit + this.#share >= 1;
  }

  taken(): void {
    this.#credit += this.#share - (this.isNext ? 1 : 0);
  }
}
