import type { Time } from "./time.ts";

export interface BackOffOptions {
  /** Longest first wait, in ms. Default 500. */
  readonly firstMs?: number;
  /** Longest wait, in ms. Default 30,000. */
  readonly longestMs?: number;
}

/** Waits between attempts: each failure doubles the wait, which is a random time between half of it and all of it. */
export class BackOff {
  readonly #random: Time["random"];
  readonly #first: number;
  readonly #longest: number;
  #failures = 0;

  constructor(random: Time["random"], { firstMs = 500, longestMs = 30_000 }: BackOffOptions = {}) {
    this.#random = random;
    this.#first = firstMs;
    this.#longest = longestMs;
  }

  /** Returns the wait after one more failure, in ms. */
  next(): number {
    const whole = Math.min(this.#longest, this.#first * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    return whole * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
