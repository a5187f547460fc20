import type { ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { lagMs } = constants;

/** Requests that wait at a model server and waited there before. */
export interface Queued {
  /** Number of requests that waited through the whole time between the last two steps seen. */
  readonly through: number;
  /** Number of steps in a row through which at least one request has waited, up to now. */
  readonly steps: number;
  /** Number of requests that ran concurrently at the last step. */
  readonly atOnce: number;
  /** Several requests waited through a whole step, and did not just arrive during it. */
  readonly isQueue: boolean;
}

/**
 * Counts the steps of an engine through which requests wait at a model server, from its metrics. Requests that wait
 * through whole steps wait for a slot, so they show the server's concurrency limit.
 */
export class QueuedSteps {
  /** The last reading of a new step. */
  #last: ModelServerMetrics | undefined;
  #waited: Queued = { through: 0, steps: 0, atOnce: 0, isQueue: false };
  /** Ended requests at that reading. */
  #ended = 0;
  /** The server has computed prompts since that reading. */
  #computed = false;

  /**
   * Takes a reading of the server's metrics.
   * @param ended requests of this picker that have ended there so far
   * @param computes whether the server has prompts to compute that fill its steps, so that requests wait for these
   * prompts
   */
  read(metrics: ModelServerMetrics, ended: number, computes: boolean): Queued {
    const last = this.#last;
    if (last !== undefined && isOfSameStep(last, metrics)) {
      this.#computed ||= computes;
      return this.#waited;
    }
    // A prompt that has just been computed filled the step that ended.
    const computed = this.#computed || computes;
    this.#computed = computes;
    this.#last = metrics;
    // If no request runs and some have ended, responses end in the step in which they begin.
    const short = metrics.runningRequests === 0 ? ended - this.#ended : 0;
    this.#ended = ended;
    const before = last?.waitingRequests ?? 0;
    // If no more requests run than before, the requests that began took the slots of ended requests, and the other
    // waiting requests are a queue.
    const begun = Math.max(0, metrics.runningRequests - (last?.runningRequests ?? 0)) + short;
    // Requests that began since the last step had waited at that step: they arrived during it.
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
 * Whether both readings belong to the same step. Metrics are as old as an engine's last step, and a step may take
 * longer than the time between two readings. If the server counts generated tokens, each step adds to them, except one
 * that computes only a part of a prompt, which may take any time. Otherwise readings that are `lagMs` apart
 * belong to different steps.
 */
const isOfSameStep = (last: ModelServerMetrics, metrics: ModelServerMetrics): boolean =>
  metrics.firstTokens !== undefined &&
  metrics.firstTokens === last.firstTokens &&
  metrics.generatedTokens === last.generatedTokens &&
  metrics.runningRequests === last.runningRequests &&
  metrics.waitingRequests === last.waitingRequests &&
  metrics.kvCacheUsage === last.kvCacheUsage &&
  (metrics.at - last.at < lagMs || reportsSteps(metrics));

const reportsSteps = ({ generatedTokens, runningRequests }: ModelServerMetrics): boolean =>
  generatedTokens !== undefined && runningRequests > 0;
