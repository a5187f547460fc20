import { seeded } from "../../testing/samples/seeded.ts";

/** Numbers and texts by chance, the same for a seed. */
export class Random {
  /** Uniform in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** A whole number from `least` to `most`, by its logarithm: half of them below the geometric mean. */
  scaled(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.next());
  }

  /** One of several. */
  oneOf<Each>(all: readonly Each[]): Each {
    return all[this.between(0, all.length - 1)] as Each;
  }

  /** A draw from an exponential distribution: the time between independent arrivals. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Draws one of `count`; the n-th is 1 / n^`skew` as likely as the first (Zipf's law). */
  ranked(count: number, skew: number): number {
    const weights = Array.from({ length: count }, (_, at) => 1 / (at + 1) ** skew);
    let left = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    return weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
  }

  /** Random text of `tokens` tokens; no other text starts with it. */
  text(tokens: number): string {
    let text = "";
    while (text.length < tokens * charsPerToken) text += this.next().toString(36).slice(2, 12);
    return text.slice(0, tokens * charsPerToken);
  }
}

const charsPerToken = 4;
