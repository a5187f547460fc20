import { constants } from "../load-constants.ts";

const { popularityCounters, popularityMemory, unseenPrompts } = constants;

/** Blocks after which it does, too: with more of them than counters each would count for others. */
const memoryBlocks = 2 * popularityCounters;

/**
 * What share of the prompts has a block. Counted in a sketch of fixed size that forgets by halves (TinyLFU, Einziger, Friedman
 * and Manes, 2017). Two blocks may have the same counter in one row, so that the lower one of two rows is nearer.
 */
export class Popularity {
  /** Undefined before the first prompt: most pools of a shared picker are idle. */
  #counts: Uint16Array | undefined;
  #prompts = 0;
  #blocks = 0;

  /** A prompt has the blocks of these keys. */
  add(keys: Float64Array): void {
    this.#counts ??= new Uint16Array(2 * popularityCounters);
    const counts = this.#counts;
    for (const key of keys) {
      const [first, second] = [inFirstRow(key), inSecondRow(key)];
      counts[first] = (counts[first] as number) + 1;
      counts[second] = (counts[second] as number) + 1;
    }
    this.#prompts += 1;
    this.#blocks += keys.length;
    if (this.#prompts >= popularityMemory || this.#blocks >= memoryBlocks) this.#halve(counts);
  }

  /** From 0 to 1; 0 where no more than one prompt had it. */
  share(key: number): number {
    if (this.#counts === undefined) return 0;
    const first = this.#counts[inFirstRow(key)] as number;
    const second = this.#counts[inSecondRow(key)] as number;
    return Math.max(0, Math.min(first, second) - 1) / (this.#prompts + unseenPrompts);
  }

  #halve(counts: Uint16Array): void {
    for (let at = 0; at < counts.length; at += 1) counts[at] = (counts[at] as number) >>> 1;
    this.#prompts /= 2;
    this.#blocks /= 2;
  }
}

/** Keys have 53 bits, of two hashes; either row takes its counter from another one. */
const inFirstRow = (key: number): number => key & (popularityCounters - 1);
const inSecondRow = (key: number): number =>
  popularityCounters + ((key / 2 ** 21) & (popularityCounters - 1));
