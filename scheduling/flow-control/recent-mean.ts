/** The mean of the last values; the older one is, the less it counts. */
export class RecentMean {
  value = 0;
  readonly #remembered: number;
  #count = 0;

  /** @param remembered how many values make the mean: before there are as many, all count alike */
  constructor(remembered: number) {
    this.#remembered = remembered;
  }

  get isKnown(): boolean {
    return this.#count > 0;
  }

  add(value: number): void {
    this.#count = Math.min(this.#remembered, this.#count + 1);
    this.value += (value - this.value) / this.#count;
  }
}
