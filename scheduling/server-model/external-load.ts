import type { LiveState, ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { RecentLeast } from "./requests-in-prefill.ts";
import { StepTime } from "./step-time.ts";

const { lagMs, recentSamples } = constants;

/** Requests at a model server whose responses have not begun, from its counters. */
interface Counted {
  readonly at: number;
  readonly firstTokens: number;
  /**
   * Running, waiting and ended requests minus first tokens. This differs from the number of requests without a first
   * token by an unknown offset, because the server does not count responses that broke off as ended.
   */
  readonly open: number;
}

/** The prompt that a server computes first. */
interface Head {
  /** Time at which the server began to compute it, in ms. */
  readonly since: number;
  /** Prompt tokens of this picker that the server had to compute before it at that time. */
  readonly ownTokens: number;
}

/**
 * Uncached tokens of this picker's most recent prompts. They are the estimate for other pickers' prompts, whose length
 * no metric reports.
 */
export class PromptSizes {
  readonly #sizes = new Float64Array(recentSamples);
  #sent = 0;

  /** Records a prompt with `tokens` tokens to compute. */
  sent(tokens: number): void {
    this.#sizes[this.#sent % recentSamples] = tokens;
    this.#sent += 1;
  }

  /**
   * Returns the expected rest of a prompt whose first `tokens` tokens are computed, in tokens: the mean rest of the
   * recent prompts that are longer, or `tokens` if none is longer.
   */
  beyond(tokens: number): number {
    let [sum, count] = [0, 0];
    for (const size of this.#sizes.subarray(0, Math.min(this.#sent, recentSamples))) {
      if (size <= tokens) continue;
      sum += size;
      count += 1;
    }
    return count === 0 ? tokens : sum / count - tokens;
  }
}

/**
 * Estimate of the prompt tokens that other replicas of the picker sent to a model server and that it has not computed
 * yet. Without it, a replica would send requests to a server that computes another replica's document.
 *
 * The server reports how many requests it has, how many first tokens it has generated and how many responses have
 * ended. The remaining requests have prompts to compute, and those that this picker did not send are external. Their
 * length is unknown. Because a gateway spreads requests evenly over the replicas, they are assumed to be as long as
 * this picker's recent prompts. A prompt that has been computed for some time has at least the tokens of that time, so
 * only longer recent prompts count for it: a document is recognized soon, and a short prompt is not taken for a
 * document.
 *
 * The server counts a request that arrives during a step only when the step ends. A step that takes twice the usual
 * time is therefore assumed to compute such a prompt.
 */
export class ExternalLoadEstimate {
  readonly #sizes: Pick<PromptSizes, "beyond">;
  #last: Counted | undefined;
  readonly #open = new RecentLeast();
  /** Number of external requests whose responses have not begun. */
  #requests = 0;
  /** The first of their prompts. */
  #head: Head = { since: 0, ownTokens: 0 };
  readonly #step = new StepTime();
  /** The prompt that is computed in the present step, if there is one. */
  #inStep: Head = { since: 0, ownTokens: 0 };
  /** The present step takes so long that it computes a prompt. */
  #isLong = false;

  constructor(sizes: Pick<PromptSizes, "beyond">) {
    this.#sizes = sizes;
  }

  /**
   * Updates the estimate from a reading of the server's metrics, and sets `live.externalTokens`.
   * @param msPerToken time in which a server of the pool computes a prompt token, in ms
   */
  read(live: LiveState, msPerToken: number): void {
    const { metrics, reading } = live;
    const counted = metrics && countedOf(metrics);
    if (metrics === undefined || counted === undefined || reading === undefined) {
      live.externalTokens = 0;
      return;
    }
    const last = this.#last;
    const inStep = this.#inStep;
    const wasLong = this.#isLong;
    this.#isLong = this.#step.read(metrics);
    if (this.#step.since === counted.at)
      this.#inStep = { since: counted.at, ownTokens: live.runningTokens };
    if (last === undefined || counted.at - last.at >= lagMs || !isAlike(counted, last)) {
      this.#last = counted;
      const prefilling = this.#open.above(counted.open, counted.at);
      const others = Math.max(0, prefilling - reading.prefillingBefore);
      const hasBegun = last?.firstTokens !== counted.firstTokens;
      if (this.#requests === 0 || hasBegun)
        this.#head = wasLong && !hasBegun ? inStep : this.#inStep;
      this.#requests = Math.min(others, reading.externalNow);
    }
    live.externalTokens = this.#tokens(counted.at, msPerToken);
  }

  #tokens(at: number, msPerToken: number): number {
    const computed = ({ since, ownTokens }: Head) => (at - since) / msPerToken - ownTokens;
    const beyond = (tokens: number) => this.#sizes.beyond(tokens);
    if (this.#requests > 0)
      return beyond(Math.max(0, computed(this.#head))) + (this.#requests - 1) * beyond(0);
    const unreported = this.#isLong ? computed(this.#inStep) : 0;
    return unreported > 0 ? beyond(unreported) : 0;
  }
}

/** Returns undefined if the server does not count first tokens and ended responses. */
function countedOf({
  at,
  runningRequests,
  waitingRequests,
  firstTokens,
  endedRequests,
}: ModelServerMetrics): Counted | undefined {
  if (firstTokens === undefined || endedRequests === undefined) return undefined;
  const open = runningRequests + waitingRequests + endedRequests - firstTokens;
  return { at, firstTokens, open };
}

/** Whether both readings show the same step of the engine, or nothing happened between them. */
const isAlike = (one: Counted, other: Counted): boolean =>
  one.firstTokens === other.firstTokens && one.open === other.open;
