import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { limits } from "../../limits.ts";
import { shareOfHeap } from "../../manager/held-bytes.ts";

export interface HeldBody {
  /** Priority of its request, as known so far. Default 0. */
  readonly priority?: number;
  /** Called when the body is evicted for another one. */
  giveWay(error: RequestError): void;
}

interface Stay {
  bytes: number;
  /** Time of the last received piece. */
  at: number;
}

export interface BodyBudgetOptions {
  /** Size of the largest body, in bytes. Default `limits.requestBody`. */
  readonly maxBody?: number | undefined;
  /** Bytes of all bodies together. Default: a quarter of the heap, but at least four bodies of the largest size. */
  readonly maxTotal?: number | undefined;
  /** Returns the time in ms. */
  readonly now: () => number;
  /** Budget that several `BodyBudget`s share. Default: none. */
  readonly budget?: SharedBodyBudget | undefined;
}

/**
 * Budget for bytes that are held for a short time. When it is exhausted, the body that began first is evicted: other
 * bodies are sent promptly and are gone by then. Bodies of requests above priority 0 are evicted last.
 */
class BriefBudget {
  readonly #maxTotal: number;
  /** In the order in which the bodies began. */
  readonly #low = new Map<HeldBody, number>();
  readonly #high = new Map<HeldBody, number>();
  bytes = 0;

  constructor(maxTotal: number) {
    this.#maxTotal = maxTotal;
  }

  /**
   * Sets the bytes held for a body. A body that is alone may exceed the budget.
   * @throws RequestError ServiceUnavailable if the body itself is evicted
   */
  hold(guest: HeldBody, bytes: number): void {
    const stays = isAboveDefault(guest) ? this.#high : this.#low;
    if (!stays.has(guest)) this.release(guest);
    this.bytes += bytes - (stays.get(guest) ?? 0);
    stays.set(guest, bytes);
    while (this.bytes > this.#maxTotal && this.#low.size + this.#high.size > 1) {
      const [first] = this.#low.size > 0 ? this.#low.keys() : this.#high.keys();
      this.release(first as HeldBody);
      if (first === guest) throw budgetExhausted();
      (first as HeldBody).giveWay(budgetExhausted());
    }
  }

  release(guest: HeldBody): void {
    for (const stays of [this.#low, this.#high]) {
      this.bytes -= stays.get(guest) ?? 0;
      stays.delete(guest);
    }
  }
}

/**
 * Budget that several `BodyBudget`s share: bytes used by one of them are not available to the rest. Each may use as
 * many bytes as are still free, so that one full budget leaves half, two leave a third, and there is always capacity
 * for one more (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998).
 */
export class SharedBodyBudget {
  readonly maxTotal: number;
  readonly brief: BriefBudget;
  bytes = 0;

  /** @param maxTotal bytes of all bodies in all budgets. Default: a quarter of the heap */
  constructor(maxTotal: number | undefined) {
    this.maxTotal = maxTotal ?? defaultTotal();
    this.brief = new BriefBudget(this.maxTotal / 2);
  }

  get free(): number {
    return this.maxTotal - this.bytes;
  }
}

/**
 * Memory budget for bodies that are held until they are complete, per body and in total. Small bodies, up to
 * `limits.smallBody`, have a separate budget of half the total, so that large bodies do not block them. An arriving
 * body evicts a large one that has stalled, or else the newest body of the lowest priority below its own. Complete
 * bodies of priority 0 and below leave a part to arriving bodies, whose priority may be known only once they are
 * complete.
 */
export class BodyBudget {
  readonly maxBody: number;
  readonly maxTotal: number;
  readonly #now: () => number;
  readonly #budget: SharedBodyBudget | undefined;
  readonly #brief: BriefBudget;
  /** Bodies that are not complete. The body that has received no data for the longest time is first. */
  readonly #stays = new Map<HeldBody, Stay>();
  /** Bytes of complete bodies that are queued. */
  readonly #kept = new Map<HeldBody, number>();
  #bytes = 0;

  constructor({ maxBody, maxTotal, now, budget }: BodyBudgetOptions) {
    this.maxBody = maxBody ?? limits.requestBody.value;
    this.maxTotal = maxTotal ?? Math.max(defaultTotal(), 4 * this.maxBody);
    this.#now = now;
    this.#budget = budget;
    this.#brief = budget?.brief ?? new BriefBudget(this.maxTotal / 2);
  }

  /** Bytes in use, without the bytes held for a short time. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of small bodies and parts of messages, in all budgets that share one. */
  get briefBytes(): number {
    return this.#brief.bytes;
  }

  /** @throws RequestError PayloadTooLarge */
  admit(bytes: number): void {
    if (bytes > this.maxBody) throw tooLarge(this.maxBody);
  }

  /**
   * Sets the bytes held for a body, with the other data kept of its request.
   * @throws RequestError ServiceUnavailable if the budget is exhausted
   */
  hold(guest: HeldBody, bytes: number): void {
    if (bytes <= limits.smallBody.value) {
      this.pass(guest, bytes);
      return;
    }
    this.#brief.release(guest);
    const now = this.#now();
    const more = bytes - (this.#stays.get(guest)?.bytes ?? 0);
    while (!this.#fits(more, this.maxTotal)) this.#evict(guest, now);
    this.#stays.delete(guest);
    this.#stays.set(guest, { bytes, at: now });
    this.#take(more);
  }

  /**
   * Sets the bytes held for a short time: a small body, or the received part of a request or response message.
   * @throws RequestError ServiceUnavailable if the budget is exhausted
   */
  pass(guest: HeldBody, bytes: number): void {
    this.#leave(guest);
    if (bytes <= limits.unheldRequest.value) this.#brief.release(guest);
    else this.#brief.hold(guest, bytes);
  }

  /**
   * Sets the bytes of a complete body that is queued. All of them count, and only a higher priority evicts it.
   * @throws RequestError ServiceUnavailable if the budget is exhausted
   */
  keep(guest: HeldBody, bytes: number): void {
    this.release(guest);
    const now = this.#now();
    const most = isAboveDefault(guest) ? this.maxTotal : this.maxTotal * (1 - leftToArrivals);
    while (!this.#fits(bytes, most)) this.#evict(guest, now);
    this.#kept.set(guest, bytes);
    this.#take(bytes);
  }

  release(guest: HeldBody): void {
    this.#brief.release(guest);
    this.#leave(guest);
  }

  #leave(guest: HeldBody): void {
    const stay = this.#stays.get(guest);
    if (stay !== undefined) {
      this.#take(-stay.bytes);
      this.#stays.delete(guest);
    } else if (this.#kept.size > 0) {
      this.#take(-(this.#kept.get(guest) ?? 0));
      this.#kept.delete(guest);
    }
  }

  #fits(more: number, most: number): boolean {
    const after = this.#bytes + more;
    const budget = this.#budget;
    return after <= most && (more <= 0 || budget === undefined || after <= budget.free - more);
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#budget !== undefined) this.#budget.bytes += bytes;
  }

  #evict(guest: HeldBody, now: number): void {
    const other = this.#stalled(now) ?? this.#leastImportant(guest.priority ?? 0);
    if (other === undefined || other === guest) throw budgetExhausted();
    this.release(other);
    other.giveWay(budgetExhausted());
  }

  #stalled(now: number): HeldBody | undefined {
    const [oldest] = this.#stays;
    return oldest !== undefined && now - oldest[1].at >= limits.stalledBody.value
      ? oldest[0]
      : undefined;
  }

  /** The newest body of the lowest priority below `than`. */
  #leastImportant(than: number): HeldBody | undefined {
    let least: HeldBody | undefined;
    let lowest = than;
    for (const guests of [this.#kept, this.#stays])
      for (const guest of guests.keys()) {
        const priority = guest.priority ?? 0;
        if (priority > lowest || priority >= than) continue;
        lowest = priority;
        least = guest;
      }
    return least;
  }
}

const isAboveDefault = ({ priority = 0 }: HeldBody) => priority > 0;

/** Part of the budget that complete bodies of priority 0 and below leave to arriving ones. */
const leftToArrivals = 1 / 8;

/** Node.js sizes its heap by the memory of its pod. */
const defaultTotal = () => shareOfHeap(4);

export const tooLarge = (most: number) =>
  new RequestError("PayloadTooLarge", `the request body is larger than ${most} bytes`, {
    apiCode: "request_too_large",
  });

const budgetExhausted = () =>
  new RequestError(
    "ServiceUnavailable",
    "the endpoint picker's memory for request bodies is full; try again",
    { reason: "rejected-no-room-for-body" },
  );
