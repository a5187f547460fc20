import { constants } from "../load-constants.ts";

const { fewestSamples, recentRequests, rememberedBlocks } = constants;

/**
 * Blocks after which the counts are halved, in addition to `recentRequests` prompts. With more blocks than counters,
 * most blocks would share a counter.
 */
const memoryBlocks = 2 * rememberedBlocks;

/**
 * Estimate of the share of prompts that contain a block. A copy of a popular block serves more requests. The counts are
 * in a sketch of fixed size that is halved from time to time (TinyLFU, Einziger, Friedman and Manes, 2017). Two blocks
 * may share a counter in one row, so the lower counter of two rows is closer to the truth.
 */
export class Popularity {
  /** Undefined before the first prompt, because most pools of a shared picker are idle. */
  #counts: Uint16Array | undefined;
  #prompts = 0;
  #blocks = 0;

  /** Counts the blocks of one prompt. */
  add(keys: Float64Array): void {
    this.#counts ??= new Uint16Array(2 * rememberedBlocks);
    const counts = this.#counts;
    for (const key of keys) {
      const [first, second] = [inFirstRow(key), inSecondRow(key)];
      counts[first] = (counts[first] as number) + 1;
      counts[second] = (counts[second] as number) + 1;
    }
    this.#prompts += 1;
    this.#blocks += keys.length;
    if (this.#prompts >= recentRequests || this.#blocks >= memoryBlocks) this.#halve(counts);
  }

  /** Returns the share of prompts with a block, from 0 to 1; 0 if at most one prompt had it. */
  share(key: number): number {
    if (this.#counts === undefined) return 0;
    const first = this.#counts[inFirstRow(key)] as number;
    const second = this.#counts[inSecondRow(key)] as number;
    return Math.max(0, Math.min(first, second) - 1) / (this.#prompts + fewestSamples);
  }

  #halve(counts: Uint16Array): void {
    for (let at = 0; at < counts.length; at += 1) counts[at] = (counts[at] as number) >>> 1;
    this.#prompts /= 2;
    this.#blocks /= 2;
  }
}

/** A key has 53 bits of two hashes, and each row selects its counter by another hash. */
const inFirstRow = (key: number): number => key & (rememberedBlocks - 1);
const inSecondRow = (key: number): number =>
  rememberedBlocks + ((key / 2 ** 21) & (rememberedBlocks - 1));
