import type { ModelServerMetrics } from "../endpoint.ts";

/** Milliseconds over which the pace is taken: some ten steps of an engine, so that one with a prompt in it does not count alone. */
const windowMs = 400;

/** Milliseconds between two tokens of an answer at a model server, on average of the answers that it writes. */
export class TokenPace {
  #last: ModelServerMetrics | undefined;
  #tokens = 0;
  /** Time of each answer, added up. */
  #ms = 0;

  /** Takes a reading of the server's metrics. Returns 0 as long as the server counts no tokens, or writes no answers. */
  read(metrics: ModelServerMetrics): number {
    const last = this.#last;
    this.#last = metrics;
    if (last?.generatedTokens === undefined || metrics.generatedTokens === undefined) return 0;
    const elapsed = metrics.at - last.at;
    const kept = Math.exp(-elapsed / windowMs);
    const answers = (last.runningRequests + metrics.runningRequests) / 2;
    this.#tokens =
      kept * this.#tokens + Math.max(0, metrics.generatedTokens - last.generatedTokens);
    this.#ms = kept * this.#ms + answers * elapsed;
    return this.#tokens === 0 || answers === 0 ? 0 : this.#ms / this.#tokens;
  }
}
