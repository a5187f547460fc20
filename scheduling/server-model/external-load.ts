import type { LiveState, ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { RecentLeast } from "./requests-in-prefill.ts";
import { StepTime } from "./step-time.ts";

const { longestStepMs, othersSamples } = constants;

/** What a model server's counters say of requests whose answers have not begun, but for a number that stays the same. */
interface Counted {
  readonly at: number;
  readonly firstTokens: number;
  readonly open: number;
}

/** A prompt that a server computes now. */
interface Head {
  readonly since: number;
  /** Tokens of this picker that were in front of it then. */
  readonly ownTokens: number;
}

/** How many tokens the newest prompts of this picker had to compute, which stand for those of other pickers. */
export class PromptSizes {
  readonly #sizes = new Float64Array(othersSamples);
  #sent = 0;

  /** This picker sent a prompt with so many tokens to compute. */
  sent(tokens: number): void {
    this.#sizes[this.#sent % othersSamples] = tokens;
    this.#sent += 1;
  }

  /** What is left on the average of the prompts that have more than so many tokens; as many again where none has. */
  beyond(tokens: number): number {
    let [sum, count] = [0, 0];
    for (const size of this.#sizes.subarray(0, Math.min(this.#sent, othersSamples))) {
      if (size <= tokens) continue;
      sum += size;
      count += 1;
    }
    return count === 0 ? tokens : sum / count - tokens;
  }
}

/**
 * Prompt tokens that other replicas of the picker sent to a model server, and that it has not computed yet. The server reports
 * how many requests it has, how many answers have begun and how many have ended: the rest have prompts to compute. How
 * long these are is not reported, but a gateway gives every replica requests alike, so that others' prompts are as long as
 * this one's. And one that is computed for a while already has had so many tokens: it is as long as those of this one's
 * that have more. So a document is known soon after it came, and short prompts are not taken for one. What came during a step is
 * not counted before the next one ends, which may compute it: a step that takes long has such a prompt in it.
 */
export class ExternalLoadEstimate {
  readonly #sizes: Pick<PromptSizes, "beyond">;
  #last: Counted | undefined;
  readonly #open = new RecentLeast();
  /** Others' requests whose answers have not begun. */
  #requests = 0;
  /** Their first one. */
  #head: Head = { since: 0, ownTokens: 0 };
  readonly #step = new StepTime();
  /** The prompt that is computed in the step, if there is one. */
  #inStep: Head = { since: 0, ownTokens: 0 };
  /** The step takes so long that there is one. */
  #isLong = false;

  constructor(sizes: Pick<PromptSizes, "beyond">) {
    this.#sizes = sizes;
  }

  /**
   * Takes a reading of the server's metrics, and writes `externalTokens`.
   * @param msPerToken milliseconds in which a server of the pool computes a prompt token
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
    if (last === undefined || counted.at - last.at >= longestStepMs || !isAlike(counted, last)) {
      this.#last = counted;
      const prefilling = this.#open.above(counted.open, counted.at);
      const others = Math.max(0, prefilling - reading.prefillingBefore);
      const hasBegun = last?.firstTokens !== counted.firstTokens;
      if (this.#requests === 0 || hasBegun)
        this.#head = wasLong && !hasBegun ? inStep : this.#inStep;
      this.#requests = Math.min(others, reading.othersNow);
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

/** Undefined where the server does not count answers. */
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

/** Both are of the same step of the engine, or nothing happened between them. */
const isAlike = (one: Counted, other: Counted): boolean =>
  one.firstTokens === other.firstTokens && one.open === other.open;
