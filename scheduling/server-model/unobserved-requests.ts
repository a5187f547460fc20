import type { LiveState } from "../endpoint.ts";
import { constants } from "../load-constants.ts";

const { arrivalMs, leastTokensPerMs, proxyMs } = constants;

/** The load of a request on one endpoint, until it ends. */
export interface EndableLoad {
  readonly live: LiveState;
  /** Tokens that the server had to work out when it came. */
  readonly promptTokens: number;
  /** The prefill is done. */
  endPrefill(): void;
  /** The server's metrics of this time are the first that count its answer. */
  firstTokenReported(at: number): void;
  end(): void;
}

interface UnobservedRequest {
  readonly load: EndableLoad;
  readonly since: number;
  isPrefilled: boolean;
}

interface Began {
  readonly reported: number | undefined;
  readonly watched: number;
}

/**
 * Loads on one server of requests whose responses nobody watches. Their end is not seen, so the model server's own count shows it: what
 * counts is the lower of what this picker sent and what the server has, plus what is on its way. Of requests that the
 * server does not have the oldest have ended. Prompts are worked off in the order in which they were sent, one with each
 * answer that the server reports as begun, besides those that were watched.
 */
export class UnobservedRequests {
  readonly #live: LiveState;
  /** In the order in which they were sent. */
  readonly #loads: UnobservedRequest[] = [];
  /** How many of them are not counted at the moment, since the server has fewer. */
  #hidden = 0;
  /** Number of answers that had begun when the metrics were read last, as the server and as this picker counted. */
  #began: Began = { reported: undefined, watched: 0 };
  /** Number of begun answers that are not assigned to one of these requests yet; below 0 if others' are awaited. */
  #unassignedStarts = 0;

  constructor(live: LiveState) {
    this.#live = live;
  }

  add(load: EndableLoad, now: number): void {
    if (this.#loads.length === 0) [this.#began, this.#unassignedStarts] = [beganBy(this.#live), 0];
    this.#loads.push({ load, since: now, isPrefilled: false });
    this.#live.unobservedRequests += 1;
  }

  /** Takes a reading of the server's metrics. */
  read(): void {
    const loads = this.#loads;
    const { metrics, runningRequests: counted, unobservedRequests } = this.#live;
    if (loads.length === 0 || metrics === undefined) return;
    const { runningRequests, waitingRequests, at } = metrics;
    const watched = counted - unobservedRequests;
    const there = Math.max(0, runningRequests + waitingRequests - watched);
    const settled = countBefore(loads, at - proxyMs);
    this.#hide(Math.max(0, settled - there));
    this.#countBegan(there, at);
    // The last to come are those that wait; those before them are computed, or have ended.
    const taken = settled - waitingRequests;
    for (const [index, request] of loads.entries())
      if (index < this.#hidden || (index < taken && this.#hadTime(request, at)))
        endPrefill(request);
    this.#end(Math.min(this.#hidden, countBefore(loads, at - arrivalMs)));
  }

  /** Ends those that were sent before a time, whatever the server reports. Default: all, since the pod is gone. */
  expire(before: number = Number.POSITIVE_INFINITY): void {
    this.#end(countBefore(this.#loads, before));
  }

  /** The server does not report how many answers began, or the prompt is worked off by any means. */
  #hadTime({ load, since }: UnobservedRequest, at: number): boolean {
    const isUntold = this.#began.reported === undefined;
    return isUntold || at - since - proxyMs > load.promptTokens / leastTokensPerMs;
  }

  /** Works off as many prompts as answers began, the oldest first. */
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
    // Some of the answers belong to requests that others sent there.
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

  /** The hidden ones first: their end changes no count. */
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

/** How many of them were sent before a time. */
function countBefore(loads: readonly UnobservedRequest[], time: number): number {
  const young = loads.findIndex(({ since }) => since >= time);
  return young === -1 ? loads.length : young;
}
