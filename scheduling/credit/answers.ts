import type { LiveState } from "../endpoint.ts";

/** Requests that have failed at a server, one after the other, from which the next ones only try it. */
const inARow = 3;

/** Milliseconds between two of those. */
const tryEvery = 250;

/**
 * What a server's answers say of it. One whose requests fail has their slots free at once, for others that fail as well: it
 * would take a whole queue before its metrics or the API server say that it is gone. So it gets one request now and then until
 * one is answered. A server that answers lives, whatever becomes of its metrics.
 */
export class Answers {
  /** When an answer began last. */
  lastAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #sent = 0;
  #nextTry = Number.NEGATIVE_INFINITY;

  /** An answer began. */
  began(now: number): void {
    this.lastAt = now;
    this.#failures = 0;
  }

  /** A request failed there. */
  failed(now: number): void {
    this.#failures += 1;
    this.#nextTry = now + tryEvery;
  }

  /** The last requests have failed there. */
  get areFailures(): boolean {
    return this.#failures >= inARow;
  }

  /** Whether the server gets no request for now. */
  holdBack({ sentRequests }: LiveState, now: number): boolean {
    if (!this.areFailures) return false;
    // One was sent since the last look.
    if (sentRequests > this.#sent) this.#nextTry = Math.max(this.#nextTry, now + tryEvery);
    this.#sent = sentRequests;
    return now < this.#nextTry;
  }
}
