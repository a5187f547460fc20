import type { ModelServerMetrics } from "../endpoint.ts";

/** Slots of a server of which nothing is known yet: no engine has fewer by default. */
export const firstSlots = 8;

/** Share of the slots that a reading must see in use before there are more of them. */
const inUse = 0.75;

/**
 * Milliseconds after which there are more slots although no reading saw those in use that there are: requests are on their
 * way, or split into tokens, before a server counts them.
 */
const patience = 500;

/** Readings that must have seen requests wait: in a single one those wait that came during a step of the engine. */
const believed = 2;

/** Milliseconds between two tries of slots more where requests have waited: at first, and at most. */
const pauses = { first: 500, longest: 16_000 };

/**
 * How many requests a model server works on at once, learnt from its metrics. Where requests wait there, it works on as many
 * as it can. While none does and all slots are used there may be more: an eighth more after each reading that saw them in
 * use. Where requests have waited before it is one more than ever ran there, as a try: if that one waits, it is taken back,
 * and the next try comes later; if it runs, the next try is of twice as many. So a server has all that it can bear, and
 * hardly ever a queue.
 */
export class LearntSlots {
  #slots: number;
  /** The most requests that were ever seen to run at once. */
  #most = 0;
  /** Requests have waited at the server, so that its limit is known. */
  #limitSeen = false;
  /** Requests that waited at the last readings. */
  readonly #waited: number[] = [];
  #changedAt = Number.NEGATIVE_INFINITY;
  #pause = pauses.first;
  #nextTry = Number.NEGATIVE_INFINITY;
  /** Slots of the next try. */
  #tried = 1;

  constructor(first: number = firstSlots) {
    this.#slots = first;
  }

  get count(): number {
    return this.#slots;
  }

  /**
   * Takes what a server's metrics say.
   * @param load requests that the server has, as the picker counts them
   */
  read({ runningRequests, waitingRequests, at }: ModelServerMetrics, load: number): void {
    if (runningRequests > this.#most) {
      if (runningRequests >= this.#slots) this.#tried *= 2;
      this.#most = runningRequests;
      this.#pause = pauses.first;
    }
    const waiting = this.#waitingSince(waitingRequests);
    if (waiting > 1) {
      this.#limitSeen = true;
      this.#tried = 1;
      this.#change(Math.min(this.#slots, Math.max(1, runningRequests)), at);
    } else if (waiting === 1 && this.#isTry) {
      this.#change(this.#most, at);
      this.#tried = 1;
      this.#nextTry = at + this.#pause;
      this.#pause = Math.min(2 * this.#pause, pauses.longest);
    } else if (waitingRequests === 0 && load >= this.#slots) {
      const isInUse = runningRequests >= inUse * this.#slots;
      const isUnseen = at - this.#changedAt >= patience && Math.max(...this.#waited) === 0;
      if (isInUse || isUnseen) this.#change(this.#more(at), at);
    }
  }

  /** The fewest requests that waited in the last readings. */
  #waitingSince(waiting: number): number {
    this.#waited.push(waiting);
    if (this.#waited.length > believed) this.#waited.shift();
    return this.#waited.length < believed ? 0 : Math.min(...this.#waited);
  }

  /** One slot is there to see whether the server works on so many. */
  get #isTry(): boolean {
    return this.#limitSeen && this.#slots > this.#most;
  }

  #more(at: number): number {
    const slots = this.#slots;
    if (slots < this.#most) return Math.min(this.#most, 2 * slots);
    if (!this.#limitSeen) return slots + Math.max(1, Math.floor(slots / 8));
    return at < this.#nextTry ? slots : this.#most + this.#tried;
  }

  #change(slots: number, at: number): void {
    if (slots !== this.#slots) this.#changedAt = at;
    this.#slots = slots;
  }
}
