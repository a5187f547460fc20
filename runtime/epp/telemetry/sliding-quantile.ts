/** Ratio of each bin's bound to the previous one. The error of a quantile is at most half of the step, or 2 %. */
const growth = 1.04;
const smallest = 1e-4;
const largest = 1e3;
/**
 * Parts of the window. The oldest part is dropped as a whole, so the covered time is up to one part shorter than the
 * window.
 */
const slots = 10;

const binOf = (value: number): number =>
  Math.max(0, Math.ceil(Math.log(value / smallest) / Math.log(growth)));
const bins = binOf(largest) + 1;
/** Value between the bounds of a bin, with the same relative distance to both. */
const middleOf = (bin: number): number => (smallest * growth ** bin * 2) / (1 + growth);

/**
 * Quantiles of positive values over a sliding window, in constant memory: histogram counts for each part of the window.
 * Values from 0.0001 to 1,000 are accurate to 2 %; values outside are clamped.
 */
export class SlidingQuantile {
  readonly #slotMs: number;
  readonly #slots = Array.from({ length: slots }, () => new Uint32Array(bins));
  readonly #totals = new Uint32Array(bins);
  #count = 0;
  /** Number of the newest slot since the clock's start. */
  #newest = 0;

  /** @param windowMs at least 1 */
  constructor(windowMs: number) {
    this.#slotMs = windowMs / slots;
  }

  /** @param now milliseconds of a clock that never goes back */
  observe(value: number, now: number): void {
    const counts = this.#advance(now);
    const bin = Math.min(bins - 1, value > smallest ? binOf(value) : 0);
    counts[bin] = (counts[bin] as number) + 1;
    this.#totals[bin] = (this.#totals[bin] as number) + 1;
    this.#count += 1;
  }

  /** Returns the number of values in the window. */
  count(now: number): number {
    this.#advance(now);
    return this.#count;
  }

  /** Returns the smallest value that is at least as large as `share` of all values, or undefined without values. */
  quantile(share: number, now: number): number | undefined {
    this.#advance(now);
    if (this.#count === 0) return undefined;
    let rest = Math.ceil(share * this.#count);
    const bin = this.#totals.findIndex((count) => {
      rest -= count;
      return rest <= 0;
    });
    return middleOf(bin);
  }

  /** Drops slots that left the window, and returns the counts of the current one. */
  #advance(now: number): Uint32Array {
    const current = Math.floor(now / this.#slotMs);
    for (let slot = Math.max(this.#newest + 1, current - slots + 1); slot <= current; slot += 1)
      this.#clear(slot);
    this.#newest = Math.max(this.#newest, current);
    return this.#slotAt(this.#newest);
  }

  #clear(slot: number): void {
    const counts = this.#slotAt(slot);
    for (let bin = 0; bin < bins; bin += 1) {
      const count = counts[bin] as number;
      this.#totals[bin] = (this.#totals[bin] as number) - count;
      this.#count -= count;
    }
    counts.fill(0);
  }

  #slotAt(slot: number): Uint32Array {
    return this.#slots[slot % slots] as Uint32Array;
  }
}
