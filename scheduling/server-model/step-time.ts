import type { ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";

const { paceWindowMs, stepMemory } = constants;

/**
 * How long a model server's engine works on its step. Where answers are given out each step ends with a token of each, so that a
 * server which says the same number of them again is in the middle of a step. Metrics tell nothing of what came during it: that it
 * takes long is all that shows a prompt which is computed in it.
 */
export class StepTime {
  /** When the end of a step was seen last. */
  since = Number.NEGATIVE_INFINITY;
  #tokens: number | undefined;
  #ms = 0;
  #steps = 0;

  /**
   * Takes a reading. Returns whether the step has lasted twice as long as usual. A server without answers has no steps, and one that
   * does not count their tokens shows none.
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
    const kept = stepMemory / (stepMemory + steps);
    this.#steps = kept * (this.#steps + steps);
    this.#ms = kept * (this.#ms + ms);
  }
}

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
    const kept = Math.exp(-elapsed / paceWindowMs);
    const answers = (last.runningRequests + metrics.runningRequests) / 2;
    this.#tokens =
      kept * this.#tokens + Math.max(0, metrics.generatedTokens - last.generatedTokens);
    this.#ms = kept * this.#ms + answers * elapsed;
    return this.#tokens === 0 || answers === 0 ? 0 : this.#ms / this.#tokens;
  }
}
