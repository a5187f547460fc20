import { constants } from "../load-constants.ts";
import { LruSet } from "./lru-set.ts";
import { RecentShare } from "./recent-share.ts";

const { longestReuseMs, recentSamples, rememberedBlocks, repeatedPart, reuseGaps } = constants;
const { recentBlocks } = constants;

/** Whether the prompts of a pool repeat, and after what time a cached prefix is used again. */
export class Reuse {
  /** Keys of the most recent prompts' prefixes of 1, 2, 4, 8 and more blocks. */
  readonly #seen = new LruSet(rememberedBlocks);
  /** Share of the blocks that an earlier prompt contained. It starts at 1, because no prompt has shown otherwise. */
  readonly #repeated = new RecentShare(1, recentBlocks);
  /** Time between two uses of a cached prefix, in ms: a moving average. It starts with the longest that counts. */
  #gapMs = longestReuseMs / reuseGaps;

  /**
   * Records a prompt that is sent to a server.
   *
   * @param usedAt time at which the server last used the longest cached prefix of the prompt; undefined if it has none
   */
  saw(keys: Float64Array, usedAt: number | undefined, now: number): void {
    let longest = 0;
    for (let blocks = 1; blocks <= keys.length; blocks *= 2) {
      const key = keys[blocks - 1] as number;
      if (this.#seen.has(key)) longest = blocks;
      this.#seen.use(key);
    }
    this.#repeated.saw(
      keys.length,
      keys.length * (longest / 2 ** Math.floor(Math.log2(keys.length))),
    );
    if (usedAt !== undefined) this.#gapMs += (now - usedAt - this.#gapMs) / recentSamples;
  }

  /**
   * Whether at least `repeatedPart` of the prompts' blocks repeats.
   * @param replicas number of replicas among which a gateway spreads the prompts evenly. Default: one
   */
  isUsual(replicas = 1): boolean {
    return replicas * this.#repeated.value >= repeatedPart;
  }

  /** Time within which a cached prefix is used again if it is used again at all, in ms. */
  get withinMs(): number {
    return Math.min(longestReuseMs, reuseGaps * this.#gapMs);
  }
}
