import type { LiveState } from "./endpoint.ts";

/** Part of a prompt that counts as computed at most: how long it still takes, nobody knows before its answer begins. */
const most = 0.75;

interface Head {
  readonly prompt: object;
  readonly since: number;
}

/**
 * How much of the prompt is computed that a model server computes now: engines take prompts in the order in which they come. A
 * document that is nearly done keeps nobody waiting for long.
 */
export class PromptProgress {
  readonly #heads = new Map<LiveState, Head>();

  /**
   * A server's metrics were read. Writes `computedTokens`.
   * @param msPerToken milliseconds in which a server of the pool computes a prompt token
   */
  settle(live: LiveState, msPerToken: number): void {
    const [prompt] = live.prompts;
    const at = live.metrics?.at;
    if (prompt === undefined || at === undefined) {
      this.#heads.delete(live);
      live.computedTokens = 0;
      return;
    }
    const head = this.#heads.get(live);
    if (head?.prompt !== prompt) {
      this.#heads.set(live, { prompt, since: at });
      live.computedTokens = 0;
      return;
    }
    const computed = (at - head.since) / (msPerToken * live.slowness);
    live.computedTokens = Math.min(most * prompt.promptTokens, computed);
  }

  /** Forgets servers that are not among these. */
  retain(servers: ReadonlySet<LiveState>): void {
    for (const live of this.#heads.keys()) if (!servers.has(live)) this.#heads.delete(live);
  }
}
