import type { LiveState } from "../endpoint.ts";
import { constants } from "../load-constants.ts";

const { computedPart } = constants;

/**
 * How much of its first prompt a model server has computed: engines take prompts in the order in which they come, and a
 * document that is nearly done delays nobody for long.
 */
export class PromptProgress {
  #prompt: object | undefined;
  #since = 0;

  /**
   * Takes a reading of the server's metrics, and writes `computedTokens`.
   * @param msPerToken milliseconds in which a server of the pool computes a prompt token
   */
  read(live: LiveState, msPerToken: number): void {
    const [prompt] = live.prompts;
    const at = live.metrics?.at ?? 0;
    live.computedTokens = 0;
    if (prompt !== this.#prompt) {
      this.#prompt = prompt;
      this.#since = at;
    } else if (prompt !== undefined) {
      const computed = (at - this.#since) / (msPerToken * live.slowness);
      live.computedTokens = Math.min(computedPart * prompt.promptTokens, computed);
    }
  }
}
