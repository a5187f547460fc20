/** Milliseconds of a window. A server never counts an answer that broke off as ended, so the least of all time would be too low. */
const windowMs = 10_000;

/** The least of a value in this window and the one before. */
export class RecentLeast {
  #since = Number.NEGATIVE_INFINITY;
  #now = Number.POSITIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;

  /** Adds a value and returns how much it is above the least. */
  above(value: number, at: number): number {
    if (at - this.#since > windowMs) {
      this.#before = this.#now;
      this.#now = value;
      this.#since = at;
    } else this.#now = Math.min(this.#now, value);
    return value - Math.min(this.#now, this.#before);
  }
}
