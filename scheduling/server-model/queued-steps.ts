import type { ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";

const { longestStepMs } = constants;

/** Requests that wait at a model server, and have waited before. */
export interface Queued {
  /** So many waited through all that was between the last two steps that were seen. */
  readonly through: number;
  /** Steps through which at least one has waited, up to now. */
  readonly steps: number;
  /** Requests that were worked on at once. */
  readonly atOnce: number;
  /** Several wait, and not for the end of a step in which they came. */
  readonly isQueue: boolean;
}

/** Sees in a model server's metrics through how many steps of its engine requests wait there. */
export class QueuedSteps {
  /** The last reading of another step than the one before. */
  #last: ModelServerMetrics | undefined;
  #waited: Queued = { through: 0, steps: 0, atOnce: 0, isQueue: false };
  /** Requests that had ended then. */
  #ended = 0;
  /** Prompts have been computed since. */
  #computed = false;

  /**
   * Takes what a server's metrics say.
   * @param ended requests of the picker that ever ended there
   * @param computes whether the server computes prompts, which fill its steps: others wait for those
   */
  read(metrics: ModelServerMetrics, ended: number, computes: boolean): Queued {
    const last = this.#last;
    if (last !== undefined && isOfSameStep(last, metrics)) {
      this.#computed ||= computes;
      return this.#waited;
    }
    // One that is done now has filled the step that ended.
    const computed = this.#computed || computes;
    this.#computed = computes;
    this.#last = metrics;
    // If none runs and some have ended, answers end in the step in which they begin.
    const short = metrics.runningRequests === 0 ? ended - this.#ended : 0;
    this.#ended = ended;
    const before = last?.waitingRequests ?? 0;
    // When no more run than before, those that began took the places of others, and the rest is a queue.
    const begun = Math.max(0, metrics.runningRequests - (last?.runningRequests ?? 0)) + short;
    // Those that run now and did not at the last step have waited then: they came during it.
    const through = computed ? 0 : Math.min(metrics.waitingRequests, before - begun);
    this.#waited = {
      through,
      steps: through > 0 ? this.#waited.steps + 1 : 0,
      atOnce: metrics.runningRequests + short,
      isQueue: through > 1,
    };
    return this.#waited;
  }
}

/**
 * Metrics are as old as an engine's last step, which may be longer than the time between two readings. Where a server counts the
 * tokens of its answers, each step adds to them, but one that computes a part of a prompt alone: that may take longer than any.
 */
const isOfSameStep = (last: ModelServerMetrics, metrics: ModelServerMetrics): boolean =>
  metrics.firstTokens !== undefined &&
  metrics.firstTokens === last.firstTokens &&
  metrics.generatedTokens === last.generatedTokens &&
  metrics.runningRequests === last.runningRequests &&
  metrics.waitingRequests === last.waitingRequests &&
  metrics.kvCacheUsage === last.kvCacheUsage &&
  (metrics.at - last.at < longestStepMs || reportsSteps(metrics));

const reportsSteps = ({ generatedTokens, runningRequests }: ModelServerMetrics): boolean =>
  generatedTokens !== undefined && runningRequests > 0;
