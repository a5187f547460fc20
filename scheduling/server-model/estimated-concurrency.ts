import type { ModelServerMetrics } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import { QueuedSteps } from "./queued-steps.ts";

const { firstSlots, firstTryPauseMs, longestTryPauseMs } = constants;
const { slotPatienceMs, slotTries, slotWaitSteps, usedSlots } = constants;

/** What the picker knows of a server whose metrics were read. */
export interface ServerWork {
  /** Requests that the server has, as the picker counts them. */
  readonly load: number;
  /** The server computes prompts, which fill its steps. Default: it does not. */
  readonly computes?: boolean;
  /** Requests of the picker that ever ended there. Default: none. */
  readonly ended?: number;
  /** The part of the slots that is there for requests at the moment, from 0 to 1: nobody uses the rest. Default: all. */
  readonly usable?: number;
  /** The slots of another server whose limit is known. Default: none is. */
  readonly othersLimit?: number;
  /** Requests want a place, and no server has one. Default: they do. */
  readonly isWanted?: boolean;
}

/**
 * How many requests a model server works on at once, learnt from its metrics. Where requests wait there through a whole step,
 * it works on as many as it can; unless it computes prompts, which fill its steps: then others wait for those, and not for a
 * slot. While none waits and all slots are used there may be more: one more as a try, and where that runs a next try of twice as
 * many, up to four or an eighth of the slots. Where requests have waited before a try is beyond the most that ever ran there, and of an
 * eighth at most: if it waits, or nobody comes to fill it, it is taken back, and the next one comes later. Beyond what a server is known
 * to bear, or another one of the pool, more are tried only while no server has a place: whoever is sent to a slot that is none waits
 * there until an answer ends. So a server has all that it can bear, and hardly ever a queue.
 */
export class EstimatedConcurrency {
  #slots = firstSlots;
  /** The most requests that were ever seen to run at once. */
  #most = 0;
  /** Requests have waited at the server, so that its limit is known. */
  #limitSeen = false;
  readonly #waited = new QueuedSteps();
  /** When a reading last saw a request wait. */
  #waitedAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Since when all slots are used; undefined while some are not. */
  #fullSince: number | undefined;
  #pause = firstTryPauseMs;
  #nextTry = Number.NEGATIVE_INFINITY;
  /** The last change of the slots was a try of more. */
  #isGrown = false;
  /** Slots of the next try. */
  #tried = 1;

  get count(): number {
    return this.#slots;
  }

  /** The slots where requests have waited at the server, so that they are known; no limit before. */
  get limit(): number {
    return this.#limitSeen ? this.#slots : Number.POSITIVE_INFINITY;
  }

  /** Takes a first number of slots, before any reading. */
  startWith(count: number): void {
    this.#slots = count;
  }

  /** Takes as many slots as others have, as long as its own are not known. */
  expect(count: number): void {
    if (!this.#limitSeen) this.#slots = Math.max(this.#slots, count);
  }

  /** Takes what a server's metrics say. */
  read(metrics: ModelServerMetrics, work: ServerWork): void {
    const { load, computes = false, ended = 0 } = work;
    const { othersLimit = Number.POSITIVE_INFINITY, isWanted = true } = work;
    const { at } = metrics;
    this.#see(metrics, work);
    const { through, steps, atOnce, isQueue } = this.#waited.read(metrics, ended, computes);
    if (!this.#limitSeen && !isWanted)
      this.#change(Math.min(this.#slots, Math.max(this.#most, othersLimit)), at);
    const isBeyond = !this.#limitSeen && steps >= slotWaitSteps && load >= this.#slots;
    if (isQueue || isBeyond) {
      this.#limitSeen = true;
      this.#tried = 1;
      this.#change(Math.min(this.#slots, Math.max(1, atOnce)), at);
    } else if (this.#isTry && (through === 1 || this.#isUnused(load, at))) {
      this.#change(this.#most, at);
      this.#tried = 1;
      this.#nextTry = at + this.#pause;
      this.#pause = Math.min(2 * this.#pause, longestTryPauseMs);
    } else if (this.#isForMore(metrics, work)) this.#change(this.#more(at), at);
  }

  /** Notes how many run and whether any wait, and whether all slots are used. */
  #see(metrics: ModelServerMetrics, { load, usable = 1 }: ServerWork): void {
    const { runningRequests, waitingRequests, at } = metrics;
    if (runningRequests > this.#most) {
      // What must be left unused says nothing of a limit that is not known yet.
      const all = this.#limitSeen ? this.#slots : Math.floor(usable * this.#slots);
      if (this.#isGrown && runningRequests >= all) this.#tried *= 2;
      this.#most = runningRequests;
      this.#pause = firstTryPauseMs;
    }
    if (waitingRequests > 0) this.#waitedAt = at;
    const isFull = load >= Math.floor(usable * this.#slots);
    this.#fullSince = isFull ? (this.#fullSince ?? at) : undefined;
  }

  /** Whether more slots are to be tried: those that there are do not suffice, and nothing is known against more. */
  #isForMore(metrics: ModelServerMetrics, work: ServerWork): boolean {
    const { usable = 1, othersLimit = Number.POSITIVE_INFINITY, isWanted = true } = work;
    const { runningRequests, waitingRequests, at } = metrics;
    if (waitingRequests > 0 || this.#fullSince === undefined) return false;
    const isKnown = this.#limitSeen ? this.#slots >= this.#most : this.#slots >= othersLimit;
    if (isKnown && !isWanted) return false;
    const since = Math.max(this.#changedAt, this.#waitedAt, this.#fullSince);
    return runningRequests >= usedSlots * usable * this.#slots || at - since >= slotPatienceMs;
  }

  /** One slot is there to see whether the server works on so many. */
  get #isTry(): boolean {
    return this.#limitSeen && this.#slots > this.#most;
  }

  /** A slot that nobody fills tells nothing, and others are left to higher bands for it that are not there. */
  #isUnused(load: number, at: number): boolean {
    return load < this.#slots && at - this.#changedAt >= slotPatienceMs;
  }

  #more(at: number): number {
    const slots = this.#slots;
    if (slots < this.#most) return Math.min(this.#most, 2 * slots);
    if (!this.#limitSeen) return slots + Math.min(this.#tried, Math.max(slotTries, eighth(slots)));
    // Others may use more than there are here, so that readings alone do not say that a try was one.
    return at < this.#nextTry ? slots : this.#most + Math.min(this.#tried, eighth(this.#most));
  }

  #change(slots: number, at: number): void {
    if (slots === this.#slots) return;
    this.#isGrown = slots > this.#slots;
    this.#changedAt = at;
    this.#slots = slots;
  }
}

const eighth = (slots: number): number => Math.max(1, Math.floor(slots / 8));
