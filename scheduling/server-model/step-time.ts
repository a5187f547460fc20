import type { ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { lagMs, recentSamples } = constants;

/**
 * Measures how long a model server's engine has worked on its present step. While responses are generated, each step
 * adds a token to each of them, so a server whose token count has not changed is in the middle of a step. Metrics do
 * not show the requests that arrive during a step. Only its length shows that a prompt is computed in it.
 */
export class StepTime {
  /** Time at which the end of a step was last seen, in ms. */
  since = Number.NEGATIVE_INFINITY;
  #tokens: number | undefined;
  /** Number of measured steps and their total time, in ms. The most recent steps count most. */
  #ms = 0;
  #steps = 0;

  /**
   * Takes a reading of the server's metrics. Returns whether the step has lasted twice the usual time: false if the
   * server generates no responses or does not count their tokens.
   */
  read({ at, runningRequests, generatedTokens }: ModelServerMetrics): boolean {
    const before = this.#tokens;
    this.#tokens = generatedTokens;
    const isSame = before !== undefined && generatedTokens === before && runningRequests > 0;
    if (isSame) return this.#steps > 0 && at - this.since >= (2 * this.#ms) / this.#steps;
    if (before !== undefined && generatedTokens !== undefined && runningRequests > 0)
      this.#learn((generatedTokens - before) / runningRequests, at - this.since);
    this.since = at;
    return false;
  }

  #learn(steps: number, ms: number): void {
    if (!(steps > 0 && Number.isFinite(ms))) return;
    const kept = recentSamples / (recentSamples + steps);
    this.#steps = kept * (this.#steps + steps);
    this.#ms = kept * (this.#ms + ms);
  }
}

/**
 * Mean time between two tokens of a response at a model server, in ms. The saturation detector compares it with its
 * objective for this time.
 */
export class TokenPace {
  #last: ModelServerMetrics | undefined;
  #tokens = 0;
  /** Sum of the times of all responses, in ms. */
  #ms = 0;

  /**
   * Takes a reading of the server's metrics. Returns 0 if the server does not count tokens or generates no responses.
   */
  read(metrics: ModelServerMetrics): number {
    const last = this.#last;
    this.#last = metrics;
    if (last?.generatedTokens === undefined || metrics.generatedTokens === undefined) return 0;
    const elapsed = metrics.at - last.at;
    const kept = Math.exp(-elapsed / lagMs);
    const answers = (last.runningRequests + metrics.runningRequests) / 2;
    this.#tokens =
      kept * this.#tokens + Math.max(0, metrics.generatedTokens - last.generatedTokens);
    this.#ms = kept * this.#ms + answers * elapsed;
    return this.#tokens === 0 || answers === 0 ? 0 : this.#ms / this.#tokens;
  }
}
