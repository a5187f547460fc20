import type { LiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { mostPart } = constants;

/**
 * Estimate of the tokens of its first prompt that a model server has computed so far. It follows from the time since
 * the prompt became the first one. Engines compute prompts in their order of arrival, so a document that is nearly done
 * does not delay other requests for long.
 */
export class PromptProgress {
  #prompt: object | undefined;
  #since = 0;

  /**
   * Updates the estimate from a reading of the server's metrics, and sets `live.computedTokens`.
   * @param msPerToken time in which a server of the pool computes a prompt token, in ms
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
      live.computedTokens = Math.min(mostPart * prompt.promptTokens, computed);
    }
  }
}
