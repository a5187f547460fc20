/** Each bound is by so much larger than the one before: a quantile is off by half of it at most. */
const growth = 1.04;
const smallest = 1e-4;
const largest = 1e3;
/** Parts of the window. The oldest is let go at once, so that a part less than the window may be covered. */
const slots = 10;

const binOf = (value: number): number =>
  Math.max(0, Math.ceil(Math.log(value / smallest) / Math.log(growth)));
const bins = binOf(largest) + 1;
/** Between the bounds of a bin, off by the same share from both. */
const middleOf = (bin: number): number => (smallest * growth ** bin * 2) / (1 + growth);

/**
 * Quantiles of the positive values of the last while, in memory that does not grow: counts by size, for each part of
 * the window. Values from 0.0001 to 1,000 are told to 2 %, others as those bounds.
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

  /** Values in the window. */
  count(now: number): number {
    this.#advance(now);
    return this.#count;
  }

  /** The least value that so large a share of the values does not exceed; undefined without values. */
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

  /** Lets go of what is too old. Answers the counts of the present. */
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
