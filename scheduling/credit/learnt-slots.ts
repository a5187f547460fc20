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

/**
 * How many requests a model server works on at once, learnt from its metrics. Where requests wait there, it works on as many
 * as it can. While none does and all slots are used there may be more: an eighth more after each reading that saw them in
 * use, and no more than one more than ever ran there where requests have waited before. So about one request waits at a
 * server that has all that it can bear, and none elsewhere.
 */
export class LearntSlots {
  #slots: number;
  /** The most requests that were ever seen to run at once. */
  #most = 0;
  /** Requests have waited at the server, so that its limit is known. */
  #limitSeen = false;
  /** Requests waited at the last reading. */
  #waited = false;
  #changedAt = Number.NEGATIVE_INFINITY;

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
    this.#most = Math.max(this.#most, runningRequests);
    // One that waits takes the place of one that ends without a pause between.
    const waits = waitingRequests > 1;
    if (waits && this.#waited) {
      this.#limitSeen = true;
      this.#change(Math.min(this.#slots, Math.max(1, runningRequests)), at);
    } else if (waitingRequests === 0 && load >= this.#slots) {
      const isInUse = runningRequests >= inUse * this.#slots;
      if (isInUse || at - this.#changedAt >= patience) this.#change(this.#more(), at);
    }
    this.#waited = waits;
  }

  #more(): number {
    const slots = this.#slots;
    if (slots < this.#most) return Math.min(this.#most, 2 * slots);
    return this.#limitSeen ? this.#most + 1 : slots + Math.max(1, Math.floor(slots / 8));
  }

  #change(slots: number, at: number): void {
    if (slots !== this.#slots) this.#changedAt = at;
    this.#slots = slots;
  }
}
