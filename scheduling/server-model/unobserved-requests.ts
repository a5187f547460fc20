import type { LiveState } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";

const { lagMs, leastTokensPerMs, recentMs } = constants;

/** Load of a request on one endpoint, until it ends. */
export interface EndableLoad {
  readonly live: LiveState;
  /** Prompt tokens that the server had to compute when the request arrived. */
  readonly promptTokens: number;
  /** Records that the server has computed the prompt. */
  endPrefill(): void;
  /** Receives the time of the first metrics that count the first token of the response. */
  firstTokenReported(at: number): void;
  end(): void;
}

interface UnobservedRequest {
  readonly load: EndableLoad;
  readonly since: number;
  isPrefilled: boolean;
}

/** Number of first tokens that a server has reported, and of those that the picker saw itself. */
interface Began {
  readonly reported: number | undefined;
  readonly watched: number;
}

/**
 * Requests at one server whose responses the picker no longer follows. It does not see them end, so it counts the lower
 * of two numbers: the requests it sent, and the requests the server has. Requests on their way are added. If the server
 * has fewer, the oldest requests have ended. Prompts are removed from the load in the order in which they were sent:
 * one per first token that the server reports, except the first tokens of observed requests.
 */
export class UnobservedRequests {
  readonly #live: LiveState;
  /** Oldest first. */
  readonly #loads: UnobservedRequest[] = [];
  /** Number of the oldest loads that do not count at present because the server has fewer requests. */
  #hidden = 0;
  /** First tokens when the metrics were last read. */
  #began: Began = { reported: undefined, watched: 0 };
  /**
   * First tokens that are not assigned to one of these requests yet. Negative if the server has not yet counted first
   * tokens that the picker saw.
   */
  #unassignedStarts = 0;

  constructor(live: LiveState) {
    this.#live = live;
  }

  add(load: EndableLoad, now: number): void {
    if (this.#loads.length === 0) [this.#began, this.#unassignedStarts] = [beganBy(this.#live), 0];
    this.#loads.push({ load, since: now, isPrefilled: false });
    this.#live.unobservedRequests += 1;
  }

  /** Updates the loads from a reading of the server's metrics. */
  read(): void {
    const loads = this.#loads;
    const { metrics, runningRequests: counted, unobservedRequests } = this.#live;
    if (loads.length === 0 || metrics === undefined) return;
    const { runningRequests, waitingRequests, at } = metrics;
    const watched = counted - unobservedRequests;
    const there = Math.max(0, runningRequests + waitingRequests - watched);
    const settled = countBefore(loads, at - lagMs);
    this.#hide(Math.max(0, settled - there));
    this.#countBegan(there, at);
    // The newest requests are the waiting requests. The prompts of the older requests are computed, or the requests
    // have ended.
    const taken = settled - waitingRequests;
    for (const [index, request] of loads.entries())
      if (index < this.#hidden || (index < taken && this.#hadTime(request, at)))
        endPrefill(request);
    this.#end(Math.min(this.#hidden, countBefore(loads, at - recentMs)));
  }

  /**
   * Ends the loads that were sent before a time, whatever the server reports. Default: all, because the pod has left.
   */
  expire(before: number = Number.POSITIVE_INFINITY): void {
    this.#end(countBefore(this.#loads, before));
  }

  /**
   * Whether a prompt counts as computed without a first token: the server does not report first tokens, or even a very
   * slow server would have computed it by now.
   */
  #hadTime({ load, since }: UnobservedRequest, at: number): boolean {
    const isUnreported = this.#began.reported === undefined;
    return isUnreported || at - since - lagMs > load.promptTokens / leastTokensPerMs;
  }

  /** Removes one prompt per reported first token, oldest first. */
  #countBegan(there: number, at: number): void {
    const before = this.#began;
    const now = beganBy(this.#live);
    this.#began = now;
    if (
      before.reported === undefined ||
      now.reported === undefined ||
      now.reported < before.reported
    ) {
      this.#unassignedStarts = 0;
      return;
    }
    const began = now.reported - before.reported - (now.watched - before.watched);
    // Some of the first tokens belong to requests of other pickers.
    const ours = Math.min(1, (this.#loads.length - this.#hidden) / Math.max(1, there));
    this.#unassignedStarts += began * ours;
    for (const request of this.#loads) {
      if (this.#unassignedStarts < 1) return;
      if (request.isPrefilled) continue;
      request.load.firstTokenReported(at);
      endPrefill(request);
      this.#unassignedStarts -= 1;
    }
    this.#unassignedStarts = Math.min(this.#unassignedStarts, 0);
  }

  #hide(count: number): void {
    this.#live.runningRequests += this.#hidden - count;
    this.#live.unobservedRequests += this.#hidden - count;
    this.#hidden = count;
  }

  /** Ends the oldest loads. The hidden requests are the oldest, and their end changes no count. */
  #end(count: number): void {
    if (count === 0) return;
    this.#hide(Math.max(0, this.#hidden - count));
    for (const { load } of this.#loads.splice(0, count)) load.end();
    this.#live.unobservedRequests = this.#loads.length - this.#hidden;
  }
}

const beganBy = ({ metrics, firstTokens }: LiveState): Began => ({
  reported: metrics?.firstTokens,
  watched: firstTokens,
});

function endPrefill(request: UnobservedRequest): void {
  request.isPrefilled = true;
  request.load.endPrefill();
}

/** Number of loads that were sent before a time. */
function countBefore(loads: readonly UnobservedRequest[], time: number): number {
  const young = loads.findIndex(({ since }) => since >= time);
  return young === -1 ? loads.length : young;
}
