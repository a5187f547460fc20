import type { LiveState } from "../endpoint.ts";

/** Largest part of a prompt that counts as computed: nobody knows how long the rest takes before its answer begins. */
const most = 0.75;

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
      live.computedTokens = Math.min(most * prompt.promptTokens, computed);
    }
  }
}
