import { seeded } from "../../testing/seeded.ts";

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

  /** A draw from an exponential distribution: the time between independent arrivals. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Text of so many tokens that nothing else begins with. */
  text(tokens: number): string {
    let text = "";
    while (text.length < tokens * charsPerToken) text += this.next().toString(36).slice(2, 12);
    return text.slice(0, tokens * charsPerToken);
  }
}

const charsPerToken = 4;
