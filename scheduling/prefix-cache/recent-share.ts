/** What part of an amount was of some kind, lately. */
export class RecentShare {
  #value: number;
  readonly #memory: number;

  /**
   * @param first what it is taken for before anything was seen
   * @param memory after such an amount about a third of what was seen before still counts
   */
  constructor(first: number, memory: number) {
    this.#value = first;
    this.#memory = memory;
  }

  /** From 0 to 1. */
  get value(): number {
    return this.#value;
  }

  /** There was an amount, and so much of it was of the kind. */
  saw(amount: number, ofKind: number): void {
    if (amount <= 0) return;
    const kept = Math.exp(-amount / this.#memory);
    this.#value = this.#value * kept + (ofKind / amount) * (1 - kept);
  }
}
