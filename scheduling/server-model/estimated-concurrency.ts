import type { ModelServerMetrics } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { QueuedSteps } from "./queued-steps.ts";

const { firstSlots, lagMs, recentMs } = constants;
const { slotWaitSteps, slotTries, usedSlots } = constants;

/** Input for an update of the estimate, in addition to the server's metrics. */
export interface ServerWork {
  /** Requests at the server, as the picker counts them. */
  readonly load: number;
  /** The server has prompts to compute that fill its steps. Default: false. */
  readonly computes?: boolean;
  /** Requests of this picker that have ended at the server so far. Default: 0. */
  readonly ended?: number;
  /** Share of the slots that requests may use now, from 0 to 1; the rest stays unused. Default: 1. */
  readonly usable?: number;
  /** Lowest known concurrency limit of the pool's servers. Default: no limit is known. */
  readonly othersLimit?: number;
  /** Requests want a slot, and the picker found no free one in the pool. Default: true. */
  readonly isWanted?: boolean;
}

/**
 * Estimate of the number of requests that a model server runs concurrently (its slots), learned from its metrics. It is
 * used for servers that do not report a limit: with too few slots a server is not used fully, with too many slots
 * requests wait at the server instead of in the picker's queue.
 *
 * - If requests wait through a whole step, the number of running requests is the limit. This does not apply while
 *   prompts fill the server's steps, because requests then wait for these prompts and not for a slot.
 * - If no request waits and all slots are used, one more slot is tried. If a request runs in it, the next try is twice
 *   as large, up to four slots or an eighth of the slots, whichever is more.
 * - Once the limit is known, a try exceeds the highest number of requests that ever ran there by at most an eighth. If
 *   a request waits, or no request fills the slot within `lagMs`, the try is taken back, and the pause before the next
 *   try doubles.
 * - Slots beyond the known limit of this server or of another server in the pool are tried only while no server has a
 *   free slot: a request sent to a slot that does not exist waits until a response ends.
 */
export class EstimatedConcurrency {
  #slots = firstSlots;
  /** Highest number of requests ever seen running concurrently. */
  #most = 0;
  /** Requests have waited for a slot at the server, so its limit is known. */
  #limitSeen = false;
  readonly #waited = new QueuedSteps();
  /** Time of the last reading with a waiting request, in ms. */
  #waitedAt = Number.NEGATIVE_INFINITY;
  /** Time of the last change of the slots, in ms. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Time since which all usable slots are used, in ms; undefined while some are free. */
  #fullSince: number | undefined;
  /** Pause after the next failed try, in ms. */
  #pause = lagMs;
  /** Earliest time of the next try beyond a known limit, in ms. */
  #nextTry = Number.NEGATIVE_INFINITY;
  /** The last change added slots. */
  #isGrown = false;
  /** Slots that the next try adds. */
  #tried = 1;

  /** Estimated slots of the server. */
  get count(): number {
    return this.#slots;
  }

  /** The estimated slots if requests have waited at the server, which shows its limit; otherwise infinity. */
  get limit(): number {
    return this.#limitSeen ? this.#slots : Number.POSITIVE_INFINITY;
  }

  /** Sets the first number of slots, before any reading. */
  startWith(count: number): void {
    this.#slots = count;
  }

  /** Raises the slots to the limit of another server, unless this server's limit is known. */
  expect(count: number): void {
    if (!this.#limitSeen) this.#slots = Math.max(this.#slots, count);
  }

  /** Updates the estimate from a reading of the server's metrics. */
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
      this.#pause = Math.min(2 * this.#pause, recentMs);
    } else if (this.#isForMore(metrics, work)) this.#change(this.#more(at), at);
  }

  /** Records the running and waiting requests, and since when all usable slots are used. */
  #see(metrics: ModelServerMetrics, { load, usable = 1 }: ServerWork): void {
    const { runningRequests, waitingRequests, at } = metrics;
    if (runningRequests > this.#most) {
      // Before the limit is known, slots that must stay unused do not count.
      const all = this.#limitSeen ? this.#slots : Math.floor(usable * this.#slots);
      if (this.#isGrown && runningRequests >= all) this.#tried *= 2;
      this.#most = runningRequests;
      this.#pause = lagMs;
    }
    if (waitingRequests > 0) this.#waitedAt = at;
    const isFull = load >= Math.floor(usable * this.#slots);
    this.#fullSince = isFull ? (this.#fullSince ?? at) : undefined;
  }

  /**
   * Whether to try more slots: no request waits, all usable slots are used, and either nearly all of them run or this
   * has lasted `lagMs`. Slots beyond a known limit are tried only if requests want them.
   */
  #isForMore(metrics: ModelServerMetrics, work: ServerWork): boolean {
    const { usable = 1, othersLimit = Number.POSITIVE_INFINITY, isWanted = true } = work;
    const { runningRequests, waitingRequests, at } = metrics;
    if (waitingRequests > 0 || this.#fullSince === undefined) return false;
    const isKnown = this.#limitSeen ? this.#slots >= this.#most : this.#slots >= othersLimit;
    if (isKnown && !isWanted) return false;
    const since = Math.max(this.#changedAt, this.#waitedAt, this.#fullSince);
    return runningRequests >= usedSlots * usable * this.#slots || at - since >= lagMs;
  }

  /** The slots exceed the highest number of requests that ever ran, to try whether the server runs more. */
  get #isTry(): boolean {
    return this.#limitSeen && this.#slots > this.#most;
  }

  /**
   * Whether a tried slot was not filled within `lagMs`. Such a slot shows nothing, and it enlarges the reserve
   * for higher bands, which is a share of all slots.
   */
  #isUnused(load: number, at: number): boolean {
    return load < this.#slots && at - this.#changedAt >= lagMs;
  }

  #more(at: number): number {
    const slots = this.#slots;
    if (slots < this.#most) return Math.min(this.#most, 2 * slots);
    if (!this.#limitSeen) return slots + Math.min(this.#tried, Math.max(slotTries, eighth(slots)));
    // Other pickers' requests may exceed the slots here, so a reading alone does not show that a try succeeded.
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
