/** Numbers by chance, the same for a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Uniform in [0, 1) (mulberry32). */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

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
