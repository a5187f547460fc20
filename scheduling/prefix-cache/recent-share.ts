/** Moving average of a share: the part of recorded amounts that is of one kind, from 0 to 1. */
export class RecentShare {
  #value: number;
  readonly #memory: number;

  /**
   * @param first value before any amount is recorded
   * @param memory amount after which the earlier amounts count about a third
   */
  constructor(first: number, memory: number) {
    this.#value = first;
    this.#memory = memory;
  }

  get value(): number {
    return this.#value;
  }

  /** Records an amount, and the part of it that is of the kind. */
  saw(amount: number, ofKind: number): void {
    if (amount <= 0) return;
    const kept = Math.exp(-amount / this.#memory);
    this.#value = this.#value * kept + (ofKind / amount) * (1 - kept);
  }
}
